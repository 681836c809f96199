/** Whole sessions as they can happen, told in moves: each move becomes the events that the runner would log. */
import type { AssistantBlock, LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';
import type { CallId, RequestId, TurnId } from '@zerd/protocol/common/ids';
import fc from 'fast-check';
import { created, log } from '../session/events.ts';

export type Move =
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'answer'; readonly content: readonly Said[] }
  | { readonly kind: 'fail'; readonly partial: string }
  | { readonly kind: 'mode'; readonly mode: 'ask' | 'full' }
  | { readonly kind: 'crash' };

export type Said =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'think'; readonly json: string }
  | { readonly kind: 'call'; readonly shown: string; readonly outcome: 'ok' | 'failed' | 'denied' };

const text = fc.string({ unit: 'binary', maxLength: 20 });
const said: fc.Arbitrary<Said> = fc.oneof(
  fc.record({ kind: fc.constant('text' as const), text }),
  fc.record({ kind: fc.constant('think' as const), json: fc.constant('{"type":"thinking","signature":"s"}') }),
  fc.record({
    kind: fc.constant('call' as const),
    shown: text,
    outcome: fc.constantFrom('ok' as const, 'failed' as const, 'denied' as const),
  }),
);

export const moves: fc.Arbitrary<readonly Move[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('say' as const), text }),
    fc.record({ kind: fc.constant('answer' as const), content: fc.array(said, { maxLength: 5 }) }),
    fc.record({ kind: fc.constant('fail' as const), partial: text }),
    fc.record({ kind: fc.constant('mode' as const), mode: fc.constantFrom('ask' as const, 'full' as const) }),
    fc.record({ kind: fc.constant('crash' as const) }),
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
  story.forEach((move, n) => {
    const turnId = `turn_${n}` as TurnId;
    const requestId = `req_${n}` as RequestId;
    if (move.kind === 'say')
      events.push({ kind: 'message.submitted', turnId, text: move.text, ...(n === 0 ? { facts: 'Date: today' } : {}) });
    if (move.kind === 'mode') events.push({ kind: 'mode.changed', mode: move.mode });
    if (move.kind !== 'answer' && move.kind !== 'fail') return;
    requests.push(events.length);
    if (move.kind === 'fail')
      events.push({
        kind: 'request.failed',
        requestId,
        turnId,
        failure: { code: 'x', message: 'x' },
        partial: move.partial,
      });
    else events.push(...answer(move.content, turnId, requestId));
  });
  requests.push(events.length);
  return { events: log(...events), requests };
}

function answer(content: readonly Said[], turnId: TurnId, requestId: RequestId): readonly SessionEvent[] {
  const idOf = (i: number) => `${requestId}_${i}` as CallId;
  const blocks = content.map((part, i): AssistantBlock => {
    if (part.kind === 'text') return { kind: 'text', text: part.text };
    if (part.kind === 'think') return { kind: 'opaque', wire: 'anthropic', json: part.json };
    return { kind: 'toolCall', callId: idOf(i), name: 'read', inputJson: '{"path":"a"}' };
  });
  const usage = { uncached: 1, cacheRead: 0, cacheWrite: 0, output: 1, reported: true };
  const results = content.flatMap((part, i): readonly SessionEvent[] =>
    part.kind === 'call'
      ? [
          {
            kind: 'toolCall.finished',
            turnId,
            callId: idOf(i),
            outcome: part.outcome,
            shown: part.shown,
            bytes: 1,
            durationMs: 1,
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
