/**
 * Does: sends the last answered request of a session again, byte for byte but for the length of its answer, and logs what
 * it cost. Invariant: nothing of the answer enters the session.
 */
import { costOf } from '@zerd/core/accounting/cost';
import { renderPrompt } from '@zerd/core/context/render';
import type { ModelEvent } from '@zerd/core/model/answer';
import type { Failure, SessionEvent } from '@zerd/protocol/common/event';
import { requestIdSchema } from '@zerd/protocol/common/ids';
import type { JsonObject } from '@zerd/protocol/common/json';
import type { Store } from '../base/ports.ts';
import { cacheKeyOf } from './cache-key.ts';
import { newId } from './new-id.ts';
import { stateAt } from './past-state.ts';
import type { TurnContext } from './turn-context.ts';

/** False: it failed or was cancelled. */
export async function sendWarming(turn: TurnContext, store: Store, signal: AbortSignal): Promise<boolean> {
  const { sessionId, turnId, model, provider, settings, clock } = turn;
  const last = turn.state().lastRequest;
  if (last === undefined || signal.aborted) return false;
  const state = stateAt(store, sessionId, last.requestId);
  const prompt = renderPrompt(state, cacheKeyOf(state, sessionId, model.endpoint));
  const body = provider.encode(prompt, { ...settings, maxOutput: 1 });
  const requestId = requestIdSchema.parse(newId('req', clock));
  const about = { requestId, turnId };
  const bytes = Buffer.byteLength(JSON.stringify(body));
  const segments = [...provider.segments(body)];
  await turn.append([
    { kind: 'request.started', ...about, model: model.ref, attempt: 1, bytes, segments, purpose: 'keepWarm' },
  ]);
  const end = await lastEvent(turn, body, signal);
  await turn.append([outcomeOf(turn, about, end, signal)]);
  return end?.kind === 'finished';
}

async function lastEvent(
  { provider, deadlines, clock, waits, model, sessionId }: TurnContext,
  body: JsonObject,
  signal: AbortSignal,
): Promise<ModelEvent | undefined> {
  const shown = waits.begin(`the prompt to be kept warm at ${model.ref}`, sessionId, clock.now() + deadlines.totalMs);
  let end: ModelEvent | undefined;
  try {
    for await (const event of provider.stream(body, { signal, deadlines, clock }))
      if (event.kind === 'finished' || event.kind === 'failed') end = event;
  } finally {
    shown[Symbol.dispose]();
  }
  return end;
}

type About = Pick<Extract<SessionEvent, { kind: 'request.failed' }>, 'requestId' | 'turnId'>;

function outcomeOf(
  { model }: TurnContext,
  about: About,
  end: ModelEvent | undefined,
  signal: AbortSignal,
): SessionEvent {
  if (end?.kind !== 'finished') return { kind: 'request.failed', ...about, failure: failureOf(end, signal) };
  const { usage, billedPico, stopReason } = end.answer;
  const costPico = billedPico ?? (model.price && usage.reported ? costOf(usage, model.price) : null);
  return { kind: 'assistant.finished', ...about, content: [], stopReason, usage, costPico };
}

function failureOf(end: ModelEvent | undefined, signal: AbortSignal): Failure {
  if (end?.kind !== 'failed') return { code: 'interrupted', message: String(signal.reason ?? 'interrupted') };
  const { code, message, status } = end.failure;
  return status === undefined ? { code, message } : { code, message, status };
}
