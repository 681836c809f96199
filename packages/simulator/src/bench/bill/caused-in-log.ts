/**
 * Misses that only a defect of zerd, a provider's whim or a race can cause: written into a log of two requests, and
 * explained by the ledger's own functions.
 */
import { ledgerOf } from '@zerd/core/accounting/ledger';
import { missesOf } from '@zerd/core/accounting/misses';
import type { LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';
import type { RequestId, TurnId } from '@zerd/protocol/common/ids';
import type { Caused } from './caused.ts';

interface InLog {
  readonly name: string;
  /** Of the second request; `=` marks another content. */
  readonly segments?: readonly string[];
  readonly between?: readonly SessionEvent[];
  readonly diagnosis?: Extract<SessionEvent, { kind: 'assistant.finished' }>['diagnosis'];
  readonly afterMs?: number;
  readonly expected: readonly [cause: string, blame: string, segment?: string];
}

const turnId = 'turn_1' as TurnId;
const grown = ['tools', 'system', 'message 0', 'message 1', 'message 2'];
const because = (reason: string) => ({ verdict: 'changed', reason }) as const;

const cases: readonly InLog[] = [
  { name: 'the tools change', segments: ['tools=', ...grown.slice(1)], expected: ['changed', 'ours', 'tools'] },
  {
    name: 'the system text changes',
    segments: ['tools', 'system=', ...grown.slice(2)],
    expected: ['changed', 'ours', 'system'],
  },
  {
    name: 'an old message changes',
    segments: ['tools', 'system', 'message 0=', 'message 1'],
    expected: ['changed', 'ours', 'message 0'],
  },
  {
    name: 'the tools change, and the provider says so',
    segments: ['tools=', ...grown.slice(1)],
    diagnosis: because('tools_changed'),
    expected: ['changed', 'ours', 'tools'],
  },
  {
    name: 'the system text changes, and the provider says so',
    segments: ['tools', 'system=', ...grown.slice(2)],
    diagnosis: because('system_changed'),
    expected: ['changed', 'ours', 'system'],
  },
  {
    name: 'the provider sees another message',
    diagnosis: because('messages_changed'),
    expected: ['diagnosed', 'provider'],
  },
  {
    name: 'the provider sees another effort',
    diagnosis: because('reasoning_effort_changed'),
    expected: ['diagnosed', 'unknown'],
  },
  {
    name: 'the conversation goes back',
    between: [{ kind: 'session.rewound' } as unknown as SessionEvent],
    segments: ['tools', 'system', 'message 0='],
    expected: ['rewound', 'yours', 'message 0'],
  },
  {
    name: 'a secret is forgotten',
    between: [{ kind: 'secret.forgotten' } as unknown as SessionEvent],
    segments: ['tools', 'system', 'message 0='],
    expected: ['forgotten', 'yours', 'message 0'],
  },
  { name: 'nobody knows what was sent', segments: [], expected: ['unknown', 'unknown'] },
  {
    name: 'away, and the trim in the cold is not the cause',
    between: [coldTrim()],
    segments: ['tools', 'system', 'message 0='],
    afterMs: 900_000,
    expected: ['idle', 'ours'],
  },
];

export function causeInLog(): readonly Caused[] {
  return cases.map((one) => {
    const about = { cacheMs: 300_000, minPrefix: 1_024, reportsCache: undefined };
    const { misses } = missesOf(ledgerOf(logOf(one)).requests, () => about);
    const [miss] = misses;
    const [cause, blame, segment] = one.expected;
    const right =
      misses.length === 1 &&
      miss?.cause === cause &&
      miss.blame === blame &&
      (segment ?? miss.segment) === miss.segment;
    return { name: `in the log: ${one.name}`, right, found: misses };
  });
}

function logOf({ segments = grown, between = [], diagnosis, afterMs = 1_000 }: InLog): readonly LoggedEvent[] {
  const first = segments.length === 0 ? [] : grown.slice(0, 3);
  const events: readonly SessionEvent[] = [
    { kind: 'turn.started', turnId },
    started('req_1', first),
    finished('req_1', 0, 20_000),
    ...between,
    started('req_2', segments),
    { ...finished('req_2', 0, 21_000), ...(diagnosis === undefined ? {} : { diagnosis }) },
  ];
  const late = 3 + between.length;
  return events.map((event, i) => ({ seq: i + 1, at: 1_000 * i + (i >= late ? afterMs : 0), event }));
}

function started(requestId: string, segments: readonly string[]): SessionEvent {
  const named = segments.map((text) => {
    const [name = ''] = text.split('=');
    return { name, hash: text.padEnd(16, '0'), bytes: 1_000 };
  });
  const id = requestId as RequestId;
  return { kind: 'request.started', requestId: id, turnId, model: 'sim/sim', attempt: 1, bytes: 9, segments: named };
}

function finished(
  requestId: string,
  cacheRead: number,
  cacheWrite: number,
): Extract<SessionEvent, { kind: 'assistant.finished' }> {
  const usage = { uncached: 0, cacheRead, cacheWrite, output: 9, reported: true };
  return {
    kind: 'assistant.finished',
    requestId: requestId as RequestId,
    turnId,
    content: [],
    stopReason: 'end',
    usage,
    costPico: null,
  };
}

function coldTrim(): SessionEvent {
  const predicted = { cut: 9, read: 0, kept: 0, rewritten: 0, rent: 0, price: 0, costKept: 0, costTrimmed: 0 };
  return {
    kind: 'context.trimmed',
    turnId,
    reason: 'cold',
    calls: [],
    inputs: [],
    note: '',
    keptFrom: 'req_1' as RequestId,
    predicted,
  };
}
