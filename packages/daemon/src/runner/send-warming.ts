/**
 * Does: sends the last answered request of a session again, byte for byte but for the length of its answer, and logs what
 * it cost. Invariant: nothing of the answer enters the session, and none is sent while the key takes no requests.
 */
import { renderPrompt } from '@zerd/core/context/render';
import { requestIdSchema } from '@zerd/protocol/common/ids';
import type { JsonObject } from '@zerd/protocol/common/json';
import type { Store } from '../base/ports.ts';
import { attemptOnce, failedEvent, finished, interrupted, plain, started } from './attempt.ts';
import { holdAtOnce } from './budget/hold-budget.ts';
import { cacheKeyOf } from './cache-key.ts';
import { newId } from './new-id.ts';
import { stateAt } from './past-state.ts';
import type { TurnContext } from './turn-context.ts';

/** False: it failed, was cancelled by `signal`, or was not sent, as where no budget has room for it. */
export async function sendWarming(of: TurnContext, store: Store, signal: AbortSignal): Promise<boolean> {
  const turn: TurnContext = { ...of, signal, sendDelta: () => undefined };
  const { sessionId, model, provider, settings, keyLimits } = turn;
  const last = turn.state().lastRequest;
  if (last === undefined || signal.aborted || keyLimits.opensIn(model.endpoint) > 0) return false;
  const state = stateAt(store, sessionId, last.requestId);
  const prompt = renderPrompt(state, cacheKeyOf(state, sessionId, model.endpoint));
  const body = provider.encode(prompt, { ...settings, maxOutput: 1 });
  const ticket = holdAtOnce(turn, body);
  if (ticket === undefined) return false;
  return await warmOnce(turn, body).finally(() => ticket[Symbol.dispose]());
}

async function warmOnce(turn: TurnContext, body: JsonObject): Promise<boolean> {
  const { model, clock, keyLimits } = turn;
  const requestId = requestIdSchema.parse(newId('req', clock));
  await turn.append([{ ...started(turn, requestId, 1, body), purpose: 'keepWarm' }]);
  const startedAt = clock.now();
  const { outcome, ...arrived } = await attemptOnce(turn, requestId, body);
  if (outcome.kind === 'finished') {
    keyLimits.answered(model.endpoint, startedAt);
    await turn.append([finished(turn, requestId, { ...outcome.answer, content: [] }, body)]);
    return true;
  }
  if (outcome.kind === 'failed') keyLimits.failed(model.endpoint, outcome.failure, startedAt);
  const failure = outcome.kind === 'failed' ? plain(outcome.failure) : interrupted(turn);
  await turn.append([failedEvent(turn, requestId, { ...arrived, partial: '', body, failure })]);
  return false;
}
