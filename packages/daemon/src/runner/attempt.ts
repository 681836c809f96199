/**
 * One request on its way: the event that announces it, its stream, the events that it ends with. Invariant: an attempt
 * ends as finished, failed or interrupted, and what had arrived of a broken-off answer is kept.
 */
import { costOf, ratesOf } from '@zerd/core/accounting/cost';
import { answerTokens, estimateRequest, type Unreported } from '@zerd/core/accounting/estimate-request';
import { type Answer, type ProviderFailure, unreported } from '@zerd/core/model/answer';
import { normaliseAnswer } from '@zerd/core/model/normalise-answer';
import { imageTokensAfter } from '@zerd/core/session/images';
import { clipUtf8 } from '@zerd/core/text/utf8';
import type { Failure, SessionEvent } from '@zerd/protocol/common/event';
import type { RequestId } from '@zerd/protocol/common/ids';
import type { JsonObject } from '@zerd/protocol/common/json';
import type { Usage } from '@zerd/protocol/common/usage';
import { imageDataFrom } from '../base/image-data.ts';
import { createDeltaBuffer } from './delta-buffer.ts';
import type { TurnContext } from './turn-context.ts';

/** Bytes of a broken-off answer that the log keeps. */
const partialBytes = 8 * 1024;

export type Outcome =
  | { readonly kind: 'finished'; readonly answer: Answer }
  | { readonly kind: 'failed'; readonly failure: ProviderFailure }
  | { readonly kind: 'interrupted' };

export interface Attempted {
  readonly outcome: Outcome;
  readonly partial: string;
  readonly spent: Usage | undefined;
  readonly heard: number;
}

type StartedEvent = Extract<SessionEvent, { kind: 'request.started' }>;

export function started(turn: TurnContext, requestId: RequestId, attempt: number, body: JsonObject): StartedEvent {
  const bytes = Buffer.byteLength(JSON.stringify(body));
  const segments = [...turn.provider.segments(body)];
  return { kind: 'request.started', requestId, turnId: turn.turnId, model: turn.model.ref, attempt, bytes, segments };
}

/**
 * Streams one attempt. A stream ends with one terminal event, or without one after an abort. `spent`: what
 * it may be charged for when no answer came. `heard`: characters that had arrived.
 */
export async function attemptOnce(turn: TurnContext, requestId: RequestId, body: JsonObject): Promise<Attempted> {
  const deltas = createDeltaBuffer(turn.clock, (channel, text) => turn.sendDelta({ requestId, channel, text }));
  const wait = showWait(turn);
  let partial = '';
  let heard = 0;
  let outcome: Outcome = { kind: 'interrupted' };
  let spent: Usage | undefined;
  const { signal, deadlines, clock } = turn;
  const onSpent = (usage: Usage) => {
    spent = usage;
  };
  try {
    const options = { signal, deadlines, clock, onWait: wait.show, onSpent, imageData: imageDataFrom(turn.archive) };
    for await (const event of turn.provider.stream(body, options)) {
      if (event.kind === 'finished' || event.kind === 'failed') outcome = event;
      if (event.kind !== 'delta') continue;
      deltas.add(event.channel, event.text);
      heard += event.text.length;
      if (event.channel === 'text' && partial.length < partialBytes) partial += event.text;
    }
  } finally {
    deltas.flush();
    wait.end();
  }
  return { outcome, partial: clipUtf8(partial, partialBytes), spent, heard };
}

/** Whoever uses the same key waits or goes on by it. */
export function tellOthers({ keyLimits, model }: TurnContext, outcome: Outcome, startedAt: number): void {
  if (outcome.kind === 'finished') keyLimits.answered(model.endpoint, startedAt);
  if (outcome.kind === 'failed') keyLimits.failed(model.endpoint, outcome.failure, startedAt);
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

export function finished(turn: TurnContext, requestId: RequestId, answer: Answer, body: JsonObject): SessionEvent {
  const { stopReason, usage, billedPico, responseId, diagnosis, removedReasoning } = answer;
  const content = [...normaliseAnswer(answer.content, turn.state().usedCallIds)];
  const paid = paidFor(turn, usage, billedPico);
  const { price } = turn.model;
  return {
    kind: 'assistant.finished',
    requestId,
    turnId: turn.turnId,
    content,
    stopReason,
    usage,
    ...paid,
    // What was billed is known, whatever was not reported.
    ...estimateOf({
      body,
      images: imageTokensAfter(turn.state(), 0),
      output: answerTokens(answer.content),
      usage,
      price: billedPico === undefined ? price : null,
    }),
    ...(billedPico === undefined ? {} : { billed: true }),
    ...(responseId === undefined ? {} : { responseId }),
    ...(diagnosis === undefined ? {} : { diagnosis }),
    ...(removedReasoning === undefined ? {} : { removedReasoning }),
  };
}

/** The provider's own figure wins; the rates stay beside it, for what each kind of token came to. */
function paidFor({ model }: TurnContext, usage: Usage, billedPico?: number) {
  const rates = usage.reported && model.price !== null ? ratesOf(usage, model.price) : null;
  const costPico = billedPico ?? (rates === null || model.price === null ? null : costOf(usage, model.price));
  return { costPico, ...(rates === null ? {} : { rates }) };
}

/** What a provider charges of a request whose answer had begun it charges also where it does not say so. */
function estimateOf(of: Unreported) {
  const estimated = estimateRequest(of);
  return estimated === undefined ? {} : { estimated };
}

/** Characters a token of an answer that broke off, at the densest. */
const heardToToken = 3;

export interface FailedAttempt extends Pick<Attempted, 'partial' | 'spent' | 'heard'> {
  readonly failure: Failure;
  readonly body: JsonObject;
  readonly retryAt?: number | undefined;
}

export function failedEvent(turn: TurnContext, requestId: RequestId, failed: FailedAttempt): SessionEvent {
  const { failure, body, partial, retryAt, spent, heard } = failed;
  const usage = spent ?? (heard > 0 ? unreported : undefined);
  const images = imageTokensAfter(turn.state(), 0);
  return {
    kind: 'request.failed',
    requestId,
    turnId: turn.turnId,
    failure,
    ...(partial === '' ? {} : { partial }),
    ...(retryAt === undefined ? {} : { retryAt }),
    ...(usage === undefined ? {} : { usage, ...paidFor(turn, usage) }),
    ...(usage === undefined
      ? {}
      : estimateOf({ body, images, output: heard / heardToToken, brokenOff: true, usage, price: turn.model.price })),
  };
}

export function plain({ code, message, status }: ProviderFailure): Failure {
  return status === undefined ? { code, message } : { code, message, status };
}

export function interrupted(turn: TurnContext): Failure {
  return { code: 'interrupted', message: String(turn.signal.reason ?? 'interrupted') };
}
