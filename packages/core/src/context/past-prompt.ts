/**
 * Says what was sent for any request of a session, or would be sent next: the prompt is a function of the log (I2), for
 * requests of the turn, for summaries and for what keeps a prompt warm.
 */
import type { LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';
import type { RequestId } from '@zerd/protocol/common/ids';
import type { ModelSettings, Prompt } from '../model/prompt.ts';
import { foldSession } from '../session/fold.ts';
import type { SessionState } from '../session/state.ts';
import { finishedPart } from './compact/finished-part.ts';
import { freshPrompt, freshSettings, warmPrompt } from './compact/instruction.ts';
import { nextRecord } from './compact/record.ts';
import { renderPrompt } from './render.ts';

export interface PastPrompt {
  /** provider/model that was asked. */
  readonly model: string;
  readonly prompt: Prompt;
  /** The session as it stood. */
  readonly state: SessionState;
  settings(usual: ModelSettings): ModelSettings;
}

type Started = Extract<SessionEvent, { kind: 'request.started' }>;

/** `requestId` undefined: the next one. The result is undefined when the session made no such request. */
export function pastPrompt(
  events: readonly LoggedEvent[],
  requestId: RequestId | undefined,
  keyOf: (state: SessionState) => string,
): PastPrompt | undefined {
  const whole = (until: number): PastPrompt => {
    const state = foldSession(events.slice(0, until));
    return { state, model: state.model, prompt: renderPrompt(state, keyOf(state)), settings: (usual) => usual };
  };
  if (requestId === undefined) return whole(events.length);
  const at = events.findIndex(({ event }) => event.kind === 'request.started' && event.requestId === requestId);
  const started = events[at]?.event;
  if (started?.kind !== 'request.started') return undefined;
  const { model } = started;
  if (started.purpose === 'keepWarm') return { ...whole(lastAnswered(events, at)), model, settings: oneToken };
  const asked = whole(at);
  if (started.purpose === undefined) return { ...asked, model };
  if (started.covers === undefined) return { ...asked, model, prompt: warmPrompt(asked.prompt) };
  const prompt = summed(events.slice(0, at), started.covers, asked.prompt.cacheKey);
  return { ...asked, model, prompt, settings: freshSettings };
}

function oneToken(usual: ModelSettings): ModelSettings {
  return { ...usual, maxOutput: 1 };
}

/** Where the request was started whose answer was the newest before `at`. */
function lastAnswered(events: readonly LoggedEvent[], at: number): number {
  const { lastRequest } = foldSession(events.slice(0, at));
  return events.findIndex(
    ({ event }) => event.kind === 'request.started' && event.requestId === lastRequest?.requestId,
  );
}

function summed(before: readonly LoggedEvent[], covers: NonNullable<Started['covers']>, cacheKey: string): Prompt {
  const record = nextRecord(before, { ...covers, bytes: Number.POSITIVE_INFINITY });
  const done = finishedPart(before, covers.through);
  return freshPrompt(record?.text ?? '', done.text, cacheKey);
}
