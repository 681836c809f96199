/**
 * What the user said and what waits to be submitted, as a part of the fold, and what of it comes next. Invariant: a prompt
 * waits at most once.
 */
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { PromptId } from '@zerd/protocol/common/ids';
import type { QueuedPrompt, SessionState } from './state.ts';

type EventOf<K extends SessionEvent['kind']> = Extract<SessionEvent, { kind: K }>;
type Queue = readonly QueuedPrompt[];

export function queuePrompt(queue: Queue, event: EventOf<'prompt.queued'>, at: number): Queue {
  const { promptId, text, steers, headless, maxRequests, budget, model, images } = event;
  const prompt = { promptId, text, steers, headless, maxRequests, budget, model, images, queuedAt: at };
  return [...withoutPrompt(queue, promptId), prompt];
}

export function changePrompt(queue: Queue, { promptId, text, images }: EventOf<'prompt.changed'>): Queue {
  return queue.map((prompt) => (prompt.promptId === promptId ? { ...prompt, text, images } : prompt));
}

export function withoutPrompt(queue: Queue, promptId: PromptId | undefined): Queue {
  return promptId === undefined ? queue : queue.filter((prompt) => prompt.promptId !== promptId);
}

/** What was said to the running turn and goes in front of its next request. */
export function steersOf({ turn, queue }: Pick<SessionState, 'turn' | 'queue'>): Queue {
  return turn === undefined ? [] : queue.filter(({ steers }) => steers === turn.turnId);
}

/**
 * The prompt that begins the next turn by itself; undefined: there is none, or nothing may begin. What was said to a turn
 * that has ended waits like any other. `asked`: the user wants it, also after a turn that did not end well.
 */
export function nextPrompt(
  { turn, queue, paused }: Pick<SessionState, 'turn' | 'queue' | 'paused'>,
  asked = false,
): QueuedPrompt | undefined {
  return turn !== undefined || (paused && !asked) ? undefined : queue[0];
}
