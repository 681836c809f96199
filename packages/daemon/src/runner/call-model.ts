/**
 * Does: asks the model once, with as many attempts as the retry rule grants, and as many again when the user says so.
 * Invariant: each attempt is in the log before its first byte is sent and ends there as finished or failed; what a failed
 * attempt had brought is kept, marked as partial.
 */
import { renderPrompt } from '@zerd/core/context/render';
import type { ProviderFailure } from '@zerd/core/model/answer';
import { longestWaitMs, type NextAttempt, nextAttempt } from '@zerd/core/model/retry';
import { dueModel } from '@zerd/core/session/chosen-model';
import type { Failure } from '@zerd/protocol/common/event';
import { requestIdSchema } from '@zerd/protocol/common/ids';
import type { JsonObject } from '@zerd/protocol/common/json';
import { attemptOnce, failedEvent, finished, interrupted, plain, started, tellOthers } from './attempt.ts';
import { type Held, holdBudget } from './budget/hold-budget.ts';
import { cacheKeyOf } from './cache-key.ts';
import { warnUncached } from './cost/warn-uncached.ts';
import { newId } from './new-id.ts';
import { askToTryAgain, failureAskedAbout } from './questions/ask-to-try-again.ts';
import { measureRelief, relieveContext } from './relieve-context.ts';
import type { TurnContext } from './turn-context.ts';

/** Undefined: the answer is in the log, or another model was chosen and is to be asked. */
export type CallFailure = Failure | undefined;

export async function callModel(turn: TurnContext): Promise<CallFailure> {
  const asked = failureAskedAbout(turn);
  if (asked && !(await askToTryAgain(turn, asked))) return asked;
  if (isDue(turn)) return undefined;
  const closed = await passKey(turn, asked !== undefined || turn.state().turn?.requests === 0);
  if (isDue(turn)) return undefined;
  if (closed) return closed;
  const ready = await makeReady(turn);
  if ('failure' in ready) return ready.failure;
  let { ticket } = ready;
  for (let attempt = 1; ; attempt++) {
    const unanswered = await attemptAt(turn, ready.body, attempt).finally(() => ticket[Symbol.dispose]());
    if (unanswered === undefined) return undefined;
    const further = await goOn(turn, unanswered.failure, unanswered.next);
    if (typeof further === 'object') return further;
    if (isDue(turn)) return undefined;
    if (further === 'first') attempt = 0;
    const held = await holdAgain(turn, ready.body);
    if (held.kind === 'refused') return held.failure;
    ticket = held.ticket;
  }
}

interface Ready {
  readonly body: JsonObject;
  /** What the first attempt may come to is set aside. */
  readonly ticket: Disposable;
}

/** Made anew when the user was asked meanwhile: time has passed. */
async function makeReady(turn: TurnContext): Promise<Ready | { readonly failure: Failure }> {
  for (;;) {
    await relieveContext(turn);
    if (turn.signal.aborted) return { failure: interrupted(turn) };
    const cacheKey = cacheKeyOf(turn.state(), turn.sessionId, turn.model.endpoint);
    const body = turn.provider.encode(renderPrompt(turn.state(), cacheKey), turn.settings);
    const held = await holdBudget(turn, body, true);
    if (held.kind === 'held') return { body, ticket: held.ticket };
    if (held.kind === 'refused') return { failure: held.failure };
  }
}

/** For another attempt at the same request. */
async function holdAgain(turn: TurnContext, body: JsonObject): Promise<Exclude<Held, { kind: 'raised' }>> {
  for (;;) {
    const held = await holdBudget(turn, body, true);
    if (held.kind !== 'raised') return held;
  }
}

interface Unanswered {
  readonly failure: Failure;
  readonly next: NextAttempt;
}

/** Undefined: the answer is in the log. */
async function attemptAt(turn: TurnContext, body: JsonObject, attempt: number): Promise<Unanswered | undefined> {
  const requestId = requestIdSchema.parse(newId('req', turn.clock));
  await turn.append([started(turn, requestId, attempt, body)]);
  const startedAt = turn.clock.now();
  const { outcome, ...arrived } = await attemptOnce(turn, requestId, body);
  tellOthers(turn, outcome, startedAt);
  if (outcome.kind === 'finished') {
    const { answer } = outcome;
    await turn.append([finished(turn, requestId, answer, body), ...measureRelief(turn, requestId, answer.usage)]);
    await warnUncached(turn);
    return undefined;
  }
  const failure = outcome.kind === 'failed' ? plain(outcome.failure) : interrupted(turn);
  const next = outcome.kind === 'failed' ? afterFailed(turn, outcome.failure, attempt) : stop;
  const retryAt = next.kind === 'retry' ? Math.round(turn.clock.wall() + next.afterMs) : undefined;
  await turn.append([failedEvent(turn, requestId, { ...arrived, body, failure, retryAt })]);
  return { failure, next };
}

/** Waits for the time, or for the word of the user, that another attempt takes: which it is then, or why there is none. */
async function goOn(turn: TurnContext, failure: Failure, next: NextAttempt): Promise<Failure | 'next' | 'first'> {
  if (isDue(turn) && !turn.signal.aborted) return 'next';
  const stopped = next.kind === 'stop';
  if (next.kind === 'stop') {
    const left = because(failure, next.reason);
    if (next.exhausted !== true || !(await askToTryAgain(turn, left))) return left;
  } else if (!(await pause(turn, next.afterMs, failure.code))) return failure;
  const closed = isDue(turn) ? undefined : await passKey(turn, stopped);
  if (closed) return closed;
  // What is in the log as a request is sent.
  if (turn.signal.aborted) return interrupted(turn);
  return stopped ? 'first' : 'next';
}

/** The wait of the failure itself, or that of the key where it is longer and worth waiting for. */
function afterFailed({ keyLimits, model }: TurnContext, failure: ProviderFailure, attempt: number): NextAttempt {
  const next = nextAttempt({ failure, attempt, random01: Math.random() });
  const opensIn = keyLimits.opensIn(model.endpoint);
  if (next.kind === 'stop' || opensIn > longestWaitMs) return next;
  return { ...next, afterMs: Math.max(next.afterMs, opensIn) };
}

const stop: NextAttempt = { kind: 'stop', reason: '' };

/** The end of the turn says why nothing more was tried. */
function because(failure: Failure, reason: string): Failure {
  if (reason === '') return failure;
  const ended = /[.!?)"'\]]$/.test(failure.message) ? failure.message : `${failure.message}.`;
  return { ...failure, message: `${ended} ${reason}` };
}

/** Waits before the next attempt, visibly. False: interrupted meanwhile. */
async function pause(turn: TurnContext, afterMs: number, why: string): Promise<boolean> {
  const shown = turn.waits.begin(
    `next attempt at ${turn.model.ref} after ${why}`,
    turn.sessionId,
    turn.clock.now() + afterMs,
  );
  const { signal, over } = untilChosen(turn);
  try {
    await turn.clock.sleep(afterMs, signal);
    return true;
  } catch {
    // The signal's reason is in the log already, or follows as the end of the turn; or another model need not wait.
    return !turn.signal.aborted;
  } finally {
    over[Symbol.dispose]();
    shown[Symbol.dispose]();
  }
}

function isDue(turn: TurnContext): boolean {
  return dueModel(turn.state()) !== undefined;
}

/** As the key limits have it, until another model is chosen. */
async function passKey(turn: TurnContext, asked: boolean): Promise<Failure | undefined> {
  const { sessionId, model } = turn;
  const { signal, over } = untilChosen(turn);
  try {
    return await turn.keyLimits.pass({ sessionId, model, signal }, asked);
  } catch (error) {
    if (turn.signal.aborted || !signal.aborted) throw error;
    return undefined;
  } finally {
    over[Symbol.dispose]();
  }
}

/** Aborted with the turn, or when another model is chosen: what is waited for may be that of this model alone. */
function untilChosen(turn: TurnContext): { readonly signal: AbortSignal; readonly over: Disposable } {
  const chosen = new AbortController();
  const over = turn.onModelChosen(() => chosen.abort());
  return { signal: AbortSignal.any([turn.signal, chosen.signal]), over };
}
