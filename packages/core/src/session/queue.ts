/** What the user said and what waits to be submitted, as a part of the fold. Invariant: a prompt waits at most once. */
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { PromptId } from '@zerd/protocol/common/ids';
import type { QueuedPrompt } from './state.ts';

type EventOf<K extends SessionEvent['kind']> = Extract<SessionEvent, { kind: K }>;
type Queue = readonly QueuedPrompt[];

export function queuePrompt(queue: Queue, { promptId, text, steers }: EventOf<'prompt.queued'>, at: number): Queue {
  return [...withoutPrompt(queue, promptId), { promptId, text, steers, queuedAt: at }];
}

export function changePrompt(queue: Queue, { promptId, text }: EventOf<'prompt.changed'>): Queue {
  return queue.map((prompt) => (prompt.promptId === promptId ? { ...prompt, text } : prompt));
}

export function withoutPrompt(queue: Queue, promptId: PromptId | undefined): Queue {
  return promptId === undefined ? queue : queue.filter((prompt) => prompt.promptId !== promptId);
}
