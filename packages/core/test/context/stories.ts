/** Whole sessions as they can happen, told in moves: each move becomes the events that the runner would log. */

import { cutPoint } from '@zerd/core/context/compact/cut-point';
import { dueModel } from '@zerd/core/session/chosen-model';
import { foldSession } from '@zerd/core/session/fold';
import { suspectImages } from '@zerd/core/session/images';
import type { AssistantBlock, LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';
import type { ArchiveId, CallId, RequestId, TurnId } from '@zerd/protocol/common/ids';
import type { Image } from '@zerd/protocol/common/image';
import fc from 'fast-check';
import { created, log } from '../session/events.ts';

export type Move =
  | { readonly kind: 'say'; readonly text: string; readonly images?: number }
  | { readonly kind: 'answer'; readonly content: readonly Said[] }
  | { readonly kind: 'fail'; readonly partial: string }
  | { readonly kind: 'mode'; readonly mode: 'ask' | 'full' }
  | { readonly kind: 'model'; readonly model: string }
  /** A model that is chosen while the turn runs: it takes hold before a request. */
  | { readonly kind: 'choose'; readonly model: string }
  /** A trim of every `every`-th call so far, by result and arguments. */
  | { readonly kind: 'trim'; readonly every: number; readonly endsReasoning: boolean }
  /** Of a change on disk, or of a call that arrived as text. */
  | { readonly kind: 'remind'; readonly text: string; readonly of: 'file' | 'call' }
  | { readonly kind: 'keepWarm' }
  /** The provider refuses the images that are suspect. */
  | { readonly kind: 'refuse' }
  /** A summary of everything before the last `keep` requests. */
  | { readonly kind: 'compact'; readonly keep: number; readonly summary: string }
  | { readonly kind: 'crash' };

export type Said =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'think' }
  | {
      readonly kind: 'call';
      readonly shown: string;
      readonly long: boolean;
      readonly images?: number;
      readonly outcome: 'ok' | 'failed' | 'denied';
    };

const text = fc.string({ unit: 'binary', maxLength: 20 });
const said: fc.Arbitrary<Said> = fc.oneof(
  fc.record({ kind: fc.constant('text' as const), text }),
  fc.record({ kind: fc.constant('think' as const) }),
  fc.record({
    kind: fc.constant('call' as const),
    shown: text,
    long: fc.boolean(),
    images: fc.constantFrom(0, 0, 1, 2),
    outcome: fc.constantFrom('ok' as const, 'failed' as const, 'denied' as const),
  }),
);

export const moves: fc.Arbitrary<readonly Move[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('say' as const), text, images: fc.constantFrom(0, 0, 1, 2) }),
    fc.record({ kind: fc.constant('refuse' as const) }),
    fc.record({ kind: fc.constant('answer' as const), content: fc.array(said, { maxLength: 5 }) }),
    fc.record({ kind: fc.constant('fail' as const), partial: text }),
    fc.record({ kind: fc.constant('mode' as const), mode: fc.constantFrom('ask' as const, 'full' as const) }),
    fc.record({
      kind: fc.constantFrom('model' as const, 'choose' as const),
      model: fc.constantFrom('sim/sim', 'other/big'),
    }),
    fc.record({ kind: fc.constant('remind' as const), text, of: fc.constantFrom('file' as const, 'call' as const) }),
    fc.record({ kind: fc.constant('keepWarm' as const) }),
    fc.record({ kind: fc.constant('compact' as const), keep: fc.constantFrom(0, 1, 2), summary: text }),
    fc.record({ kind: fc.constant('crash' as const) }),
    fc.record({
      kind: fc.constant('trim' as const),
      every: fc.integer({ min: 1, max: 3 }),
      endsReasoning: fc.boolean(),
    }),
  ),
  { maxLength: 25 },
);

/** The log of the moves, and after how many events a request was sent. */
export function tell(story: readonly Move[]): {
  readonly events: readonly LoggedEvent[];
  readonly requests: readonly number[];
} {
  const events: SessionEvent[] = [created];
  const requests: number[] = [];
  const calls: CallId[] = [];
  const answered: RequestId[] = [];
  story.forEach((move, n) => {
    const turnId = `turn_${n}` as TurnId;
    const requestId = `req_${n}` as RequestId;
    if (move.kind === 'say')
      events.push({
        kind: 'message.submitted',
        turnId,
        text: move.text,
        ...(n === 0 ? { facts: 'Date: today' } : {}),
        ...pictures(move.images, n),
      });
    if (move.kind === 'refuse') events.push(refuse(turnId, log(...events)));
    if (move.kind === 'mode') events.push({ kind: 'mode.changed', mode: move.mode });
    if (move.kind === 'model') events.push({ kind: 'model.changed', model: move.model });
    if (move.kind === 'choose') events.push({ kind: 'model.chosen', model: move.model });
    if (move.kind === 'trim') events.push(...trim(move, turnId, calls, answered));
    if (move.kind === 'remind') events.push(reminder(move, turnId));
    if (move.kind === 'keepWarm') events.push(...keepWarm(turnId, requestId));
    if (move.kind === 'compact') events.push(...compact(move, turnId, requestId, log(...events)));
    if (move.kind !== 'answer' && move.kind !== 'fail') return;
    const due = dueModel(foldSession(log(...events)));
    if (due !== undefined) events.push({ kind: 'model.changed', model: due });
    requests.push(events.length);
    if (move.kind === 'fail')
      events.push({
        kind: 'request.failed',
        requestId,
        turnId,
        failure: { code: 'x', message: 'x' },
        partial: move.partial,
      });
    else {
      events.push(...answer(move.content, turnId, requestId));
      answered.push(requestId);
      calls.push(...move.content.flatMap((part, i) => (part.kind === 'call' ? [idOf(requestId, i)] : [])));
    }
  });
  requests.push(events.length);
  return { events: log(...events), requests };
}

/** Few different ones, so that some come again. */
function pictures(count = 0, n: number): { readonly images?: Image[] } {
  if (count === 0) return {};
  const image = (i: number): Image => ({
    archiveId: `1a2b3c4d5e7${(n + i) % 4}` as ArchiveId,
    name: `${i}.png`,
    type: 'image/png',
    width: 640,
    height: 480,
    bytes: 2_000,
    tokens: 391,
  });
  return { images: Array.from({ length: count }, (_, i) => image(i)) };
}

function refuse(turnId: TurnId, before: readonly LoggedEvent[]): SessionEvent {
  const images = suspectImages(foldSession(before)).map(({ archiveId }) => archiveId);
  return { kind: 'images.refused', turnId, images, reason: 'Could not process image' };
}

function reminder({ text: told, of }: Extract<Move, { kind: 'remind' }>, turnId: TurnId): SessionEvent {
  const file = { path: 'a', hash: 'h', lines: true };
  const about = of === 'call' ? ({ kind: 'leakedCall', times: 1 } as const) : undefined;
  return { kind: 'reminder.added', turnId, text: told, about: about ?? { kind: 'filesChanged', files: [file] } };
}

function keepWarm(turnId: TurnId, requestId: RequestId): readonly SessionEvent[] {
  const usage = { uncached: 1, cacheRead: 9, cacheWrite: 0, output: 1, reported: true };
  const content: AssistantBlock[] = [{ kind: 'text', text: 'nobody asked' }];
  return [
    {
      kind: 'request.started',
      requestId,
      turnId,
      model: 'sim/sim',
      attempt: 1,
      bytes: 9,
      segments: [],
      purpose: 'keepWarm',
    },
    { kind: 'assistant.finished', requestId, turnId, content, stopReason: 'end', usage, costPico: null },
  ];
}

/** As the runner does it: the request for the summary, then the switch, where there is something to replace. */
function compact(
  { keep, summary }: Extract<Move, { kind: 'compact' }>,
  turnId: TurnId,
  requestId: RequestId,
  before: readonly LoggedEvent[],
): readonly SessionEvent[] {
  const [asked, answered] = keepWarm(turnId, requestId);
  if (asked?.kind !== 'request.started' || answered === undefined) return [];
  const { throughSeq } = cutPoint(foldSession(before), keep);
  const usage = { uncached: 1, cacheRead: 9, cacheWrite: 0, output: 1, reported: true };
  const predicted = { prompt: 9, after: 5, facts: 2 };
  const request: SessionEvent = { ...asked, purpose: 'compaction' };
  if (throughSeq === 0) return [request, answered];
  const compacted = {
    kind: 'context.compacted',
    turnId,
    reason: 'told so',
    throughSeq,
    summary: `S${summary}`,
  } as const;
  return [request, answered, { ...compacted, summaryRequestId: requestId, usage, predicted }];
}

function trim(
  { every, endsReasoning }: Extract<Move, { kind: 'trim' }>,
  turnId: TurnId,
  calls: readonly CallId[],
  answered: readonly RequestId[],
): readonly SessionEvent[] {
  const [keptFrom = answered[0], entryAt] = [answered.at(-2), answered.at(-3)];
  if (keptFrom === undefined) return [];
  const cut = calls.filter((_, i) => i % every === 0);
  const figures = { cut: 1, read: 1, kept: 1, rewritten: 1, rent: 1, price: 1, costKept: 1, costTrimmed: 1 };
  return [
    {
      kind: 'context.trimmed',
      turnId,
      reason: 'told so',
      calls: cut,
      inputs: cut.map((callId) => ({ callId, archiveId: archived })),
      note: 'cleared',
      keptFrom,
      ...(entryAt === undefined ? {} : { entryAt }),
      endsReasoning,
      predicted: figures,
    },
  ];
}

const archived = '1a2b3c4d5e6f' as ArchiveId;
const filler = 'filler '.repeat(100);

function idOf(requestId: RequestId, place: number): CallId {
  return `${requestId}_${place}` as CallId;
}

function answer(content: readonly Said[], turnId: TurnId, requestId: RequestId): readonly SessionEvent[] {
  const blocks = content.map((part, i): AssistantBlock => {
    if (part.kind === 'text') return { kind: 'text', text: part.text };
    if (part.kind === 'think')
      return {
        kind: 'opaque',
        wire: 'anthropic',
        json: JSON.stringify({ type: 'thinking', signature: idOf(requestId, i) }),
      };
    const inputJson = JSON.stringify({ path: 'a', content: part.long ? filler : 'x' });
    return { kind: 'toolCall', callId: idOf(requestId, i), name: 'write', inputJson };
  });
  const usage = { uncached: 1, cacheRead: 0, cacheWrite: 0, output: 1, reported: true };
  const results = content.flatMap((part, i): readonly SessionEvent[] =>
    part.kind === 'call'
      ? [
          {
            kind: 'toolCall.finished',
            turnId,
            callId: idOf(requestId, i),
            outcome: part.outcome,
            shown: part.long ? part.shown + filler : part.shown,
            archiveId: archived,
            bytes: 1,
            durationMs: 1,
            ...(part.outcome === 'ok' ? pictures(part.images, i) : {}),
          },
        ]
      : [],
  );
  // Side by side, the last call may be done first: the prompt must not depend on it.
  return [
    { kind: 'assistant.finished', requestId, turnId, content: blocks, stopReason: 'toolUse', usage, costPico: null },
    ...[...results].reverse(),
  ];
}
