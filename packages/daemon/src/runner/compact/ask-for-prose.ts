/**
 * Does: asks a model once for a summary, as a request of its own in the log. Invariant: what it used is counted, also when
 * what it wrote is no summary; nothing of its answer reaches the conversation.
 */
import { proseOf } from '@zerd/core/context/compact/prose';
import type { ModelSettings, Prompt } from '@zerd/core/model/prompt';
import type { Failure, SessionEvent } from '@zerd/protocol/common/event';
import { type RequestId, requestIdSchema } from '@zerd/protocol/common/ids';
import type { JsonObject } from '@zerd/protocol/common/json';
import type { Usage } from '@zerd/protocol/common/usage';
import type { Provider } from '@zerd/providers/provider';
import type { ResolvedModel } from '../../config/models.ts';
import { attemptOnce, failedEvent, finished, interrupted, plain, started, tellOthers } from '../attempt.ts';
import { holdBudget } from '../budget/hold-budget.ts';
import { newId } from '../new-id.ts';
import type { TurnContext } from '../turn-context.ts';

export interface Summarizer {
  readonly model: ResolvedModel;
  readonly provider: Provider;
  readonly settings: ModelSettings;
}

export type Covers = NonNullable<Extract<SessionEvent, { kind: 'request.started' }>['covers']>;

export type Asked =
  | { readonly kind: 'prose'; readonly text: string; readonly requestId: RequestId; readonly usage: Usage }
  | {
      readonly kind: 'failed';
      readonly failure: Failure;
      readonly usage: Usage | undefined;
      /** The request that was answered, but not with a summary; undefined: nothing was. */
      readonly answeredBy?: RequestId;
    };

/** `turn.signal` also ends it at the deadline of the whole compaction. */
export async function askForProse(
  turn: TurnContext,
  summarizer: Summarizer,
  prompt: Prompt,
  covers?: Covers,
): Promise<Asked> {
  // It is seen as a wait: its words are not the answer that somebody reads along.
  const own: TurnContext = { ...turn, ...summarizer, sendDelta: () => {} };
  const closed = await passKey(own);
  // What is in the log as a request is sent: an interrupt may have come while something else was waited for.
  if (turn.signal.aborted) return { kind: 'failed', failure: interrupted(turn), usage: undefined };
  if (closed) return { kind: 'failed', failure: closed, usage: undefined };
  const body = own.provider.encode(prompt, own.settings);
  // Nobody is asked here: what follows does not wait for an answer, and asks itself where it has to.
  const held = await roomFor(own, body);
  if ('failure' in held) return { kind: 'failed', failure: held.failure, usage: undefined };
  return await askOnce(turn, own, body, covers).finally(() => held.ticket[Symbol.dispose]());
}

async function askOnce(turn: TurnContext, own: TurnContext, body: JsonObject, covers?: Covers): Promise<Asked> {
  const requestId = requestIdSchema.parse(newId('req', turn.clock));
  const asked = { ...started(own, requestId, 1, body), purpose: 'compaction' as const };
  await turn.append([covers === undefined ? asked : { ...asked, covers }]);
  const startedAt = turn.clock.now();
  const { outcome, ...arrived } = await attemptOnce(own, requestId, body);
  tellOthers(own, outcome, startedAt);
  if (outcome.kind !== 'finished') {
    const failure = outcome.kind === 'failed' ? plain(outcome.failure) : interrupted(turn);
    await turn.append([failedEvent(own, requestId, { ...arrived, body, failure })]);
    return { kind: 'failed', failure, usage: undefined };
  }
  const { answer } = outcome;
  await turn.append([finished(own, requestId, answer, body)]);
  const prose = proseOf(answer);
  if (prose.kind === 'prose') return { ...prose, requestId, usage: answer.usage };
  return { kind: 'failed', failure: refusal(prose.why, own), usage: answer.usage, answeredBy: requestId };
}

/** Set aside of the budgets; also the deadline of the whole compaction ends the wait for it. */
async function roomFor(
  turn: TurnContext,
  body: JsonObject,
): Promise<{ readonly ticket: Disposable } | { readonly failure: Failure }> {
  try {
    const held = await holdBudget(turn, body, false);
    return held.kind === 'raised' ? { failure: interrupted(turn) } : held;
  } catch (error) {
    if (turn.signal.aborted) return { failure: interrupted(turn) };
    throw error;
  }
}

/** A key that takes no requests now is waited for, in sight; undefined: it takes them. */
async function passKey(turn: TurnContext): Promise<Failure | undefined> {
  try {
    return await turn.keyLimits.pass(turn, false);
  } catch (error) {
    if (turn.signal.aborted) return interrupted(turn);
    throw error;
  }
}

function refusal(why: string, { model }: TurnContext): Failure {
  return { code: 'provider_malformed', message: `The summary that ${model.ref} gave was refused: ${why}.` };
}
