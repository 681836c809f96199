/**
 * Does: asks the model once, with as many attempts as the retry rule grants. Invariant: each attempt is in the log before
 * its first byte is sent and ends there as finished or failed; what a failed attempt had brought is kept, marked as partial.
 */
import { costOf } from '@zerd/core/accounting/cost';
import { renderPrompt } from '@zerd/core/context/render';
import type { Answer, ProviderFailure } from '@zerd/core/model/answer';
import { normaliseAnswer } from '@zerd/core/model/normalise-answer';
import { type NextAttempt, nextAttempt } from '@zerd/core/model/retry';
import { clipUtf8 } from '@zerd/core/text/utf8';
import type { Failure, SessionEvent } from '@zerd/protocol/common/event';
import { type RequestId, requestIdSchema } from '@zerd/protocol/common/ids';
import type { JsonObject } from '@zerd/protocol/common/json';
import { cacheKeyOf } from './cache-key.ts';
import { createDeltaBuffer } from './delta-buffer.ts';
import { newId } from './new-id.ts';
import { measureRelief, relieveContext } from './relieve-context.ts';
import type { TurnContext } from './turn-context.ts';

/** Undefined: the answer is in the log. */
export type CallFailure = Failure | undefined;

/** Bytes of a broken-off answer that the log keeps. */
const partialBytes = 8 * 1024;

type Outcome =
  | { readonly kind: 'finished'; readonly answer: Answer }
  | { readonly kind: 'failed'; readonly failure: ProviderFailure }
  | { readonly kind: 'interrupted' };

export async function callModel(turn: TurnContext): Promise<CallFailure> {
  await relieveContext(turn);
  const cacheKey = cacheKeyOf(turn.state(), turn.sessionId, turn.model.endpoint);
  const body = turn.provider.encode(renderPrompt(turn.state(), cacheKey), turn.settings);
  for (let attempt = 1; ; attempt++) {
    const requestId = requestIdSchema.parse(newId('req', turn.clock));
    await turn.append([started(turn, requestId, attempt, body)]);
    const { outcome, partial } = await attemptOnce(turn, requestId, body);
    if (outcome.kind === 'finished') {
      const { answer } = outcome;
      await turn.append([finished(turn, requestId, answer), ...measureRelief(turn, requestId, answer.usage)]);
      return undefined;
    }
    const failure = outcome.kind === 'failed' ? plain(outcome.failure) : interrupted(turn);
    const next =
      outcome.kind === 'failed' ? nextAttempt({ failure: outcome.failure, attempt, random01: Math.random() }) : stop;
    const retryAt = next.kind === 'retry' ? Math.round(turn.clock.wall() + next.afterMs) : undefined;
    await turn.append([failedEvent(turn, requestId, failure, partial, retryAt)]);
    if (next.kind === 'stop') return because(failure, next.reason);
    if (!(await pause(turn, next.afterMs, failure.code))) return failure;
  }
}

const stop: NextAttempt = { kind: 'stop', reason: '' };

/** The end of the turn says why nothing more was tried. */
function because(failure: Failure, reason: string): Failure {
  return reason === '' ? failure : { ...failure, message: `${failure.message} ${reason}` };
}

function started(turn: TurnContext, requestId: RequestId, attempt: number, body: JsonObject): SessionEvent {
  const bytes = Buffer.byteLength(JSON.stringify(body));
  const segments = [...turn.provider.segments(body)];
  return { kind: 'request.started', requestId, turnId: turn.turnId, model: turn.model.ref, attempt, bytes, segments };
}

/** Streams one attempt. A stream ends with one terminal event, or without one after an abort. */
async function attemptOnce(
  turn: TurnContext,
  requestId: RequestId,
  body: JsonObject,
): Promise<{ outcome: Outcome; partial: string }> {
  const deltas = createDeltaBuffer(turn.clock, (channel, text) => turn.sendDelta({ requestId, channel, text }));
  const wait = showWait(turn);
  let partial = '';
  let outcome: Outcome = { kind: 'interrupted' };
  const { signal, deadlines, clock } = turn;
  try {
    for await (const event of turn.provider.stream(body, { signal, deadlines, clock, onWait: wait.show })) {
      if (event.kind === 'finished' || event.kind === 'failed') outcome = event;
      if (event.kind !== 'delta') continue;
      deltas.add(event.channel, event.text);
      if (event.channel === 'text' && partial.length < partialBytes) partial += event.text;
    }
  } finally {
    deltas.flush();
    wait.end();
  }
  return { outcome, partial: clipUtf8(partial, partialBytes) };
}

function showWait(turn: TurnContext) {
  let shown: Disposable | undefined;
  const end = () => shown?.[Symbol.dispose]();
  return {
    end,
    show(what: string, deadline: number) {
      end();
      shown = turn.waits.begin(`${what} from ${turn.model.ref}`, turn.sessionId, deadline);
    },
  };
}

function finished(turn: TurnContext, requestId: RequestId, answer: Answer): SessionEvent {
  const content = [...normaliseAnswer(answer.content, turn.state().usedCallIds)];
  const costPico =
    answer.billedPico ?? (turn.model.price && answer.usage.reported ? costOf(answer.usage, turn.model.price) : null);
  return {
    kind: 'assistant.finished',
    requestId,
    turnId: turn.turnId,
    content,
    stopReason: answer.stopReason,
    usage: answer.usage,
    costPico,
  };
}

function failedEvent(
  turn: TurnContext,
  requestId: RequestId,
  failure: Failure,
  partial: string,
  retryAt: number | undefined,
): SessionEvent {
  return {
    kind: 'request.failed',
    requestId,
    turnId: turn.turnId,
    failure,
    ...(partial === '' ? {} : { partial }),
    ...(retryAt === undefined ? {} : { retryAt }),
  };
}

function plain({ code, message, status }: ProviderFailure): Failure {
  return status === undefined ? { code, message } : { code, message, status };
}

export function interrupted(turn: TurnContext): Failure {
  return { code: 'interrupted', message: String(turn.signal.reason ?? 'interrupted') };
}

/** Waits before the next attempt, visibly. False: interrupted meanwhile. */
async function pause(turn: TurnContext, afterMs: number, why: string): Promise<boolean> {
  const shown = turn.waits.begin(
    `next attempt at ${turn.model.ref} after ${why}`,
    turn.sessionId,
    turn.clock.now() + afterMs,
  );
  try {
    await turn.clock.sleep(afterMs, turn.signal);
    return true;
  } catch {
    // The signal's reason is in the log already, or follows as the end of the turn.
    return false;
  } finally {
    shown[Symbol.dispose]();
  }
}
