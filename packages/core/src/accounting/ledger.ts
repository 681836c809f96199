/**
 * The ledger of a session: every request with what was sent, what was paid and of what that is made, as a fold of its log.
 * Invariants: the parts of a request add up to its cost and the requests to the totals, in integer pico-dollars; what a
 * fork copied of its parent is there to be compared with and is not paid again.
 */
import type { Diagnosis, Estimate, Rates } from '@zerd/protocol/common/cost-events';
import type { LoggedEvent, Segment, SessionEvent } from '@zerd/protocol/common/event';
import type { RequestId, TurnId } from '@zerd/protocol/common/ids';
import type { Totals } from '@zerd/protocol/common/methods';
import type { Usage } from '@zerd/protocol/common/usage';
import { partsAt } from './cost.ts';
import { addTotals, noTotals, totalsOf } from './totals.ts';

export interface Ledger {
  readonly requests: readonly LedgerRequest[];
  /** Without copies. */
  readonly totals: Totals;
  readonly byModel: readonly { readonly model: string; readonly totals: Totals }[];
  readonly byPurpose: readonly { readonly purpose: Purpose; readonly totals: Totals }[];
}

/** `failed`: an attempt of a turn that brought no answer and was charged all the same. */
export type Purpose = 'turn' | 'failed' | NonNullable<StartedEvent['purpose']>;

export interface LedgerRequest {
  /** Of its `request.started`. */
  readonly seq: number;
  readonly at: number;
  /** When its answer or failure was logged; undefined: it is open. */
  readonly endedAt: number | undefined;
  readonly requestId: RequestId;
  readonly turnId: TurnId;
  readonly model: string;
  readonly attempt: number;
  readonly purpose: Purpose;
  /** A prompt of its own, which begins as no other. */
  readonly apart: boolean;
  readonly bytes: number;
  readonly segments: readonly Segment[];
  readonly outcome: 'answered' | 'failed' | 'open';
  /** A fork holds it of its parent: it was paid there. */
  readonly copied: boolean;
  /** Undefined: nothing was reported. */
  readonly usage: Usage | undefined;
  readonly rates: Rates | undefined;
  readonly parts: PaidParts | null;
  /** Null: unpriced. */
  readonly costPico: number | null;
  /** What it may have come to; undefined: that was reported. */
  readonly estimated: Estimate | undefined;
  /** The cost is what the provider says. */
  readonly billed: boolean;
  readonly diagnosis: Diagnosis | undefined;
  /** What happened since the request before that may change how a prompt begins. */
  readonly between: readonly PrefixEvent[];
}

/** Pico-dollars; they add up to the cost. */
export interface PaidParts {
  readonly uncached: number;
  readonly cacheRead: number;
  /** Written with the usual lifetime, and with that of an hour. */
  readonly cacheWrite: number;
  readonly cacheWrite1h: number;
  readonly output: number;
  /** What the provider billed beyond the rates, or less. */
  readonly adjusted: number;
}

export interface PrefixEvent {
  readonly seq: number;
  readonly kind: string;
  /** Tokens that a trim expected to be read, and to be read still. */
  readonly read?: number;
  readonly kept?: number;
}

type StartedEvent = Extract<SessionEvent, { kind: 'request.started' }>;

export function ledgerOf(events: readonly LoggedEvent[]): Ledger {
  const requests: LedgerRequest[] = [];
  const places = new Map<RequestId, number>();
  let copiedThrough = 0;
  let between: PrefixEvent[] = [];
  for (const { seq, at, event } of events) {
    if (event.kind === 'session.created') copiedThrough = event.forkOf?.seq ?? 0;
    const changed = prefixEvent(seq, event);
    if (changed !== undefined) between.push(changed);
    if (event.kind === 'request.started') {
      places.set(event.requestId, requests.length);
      requests.push({ ...opened(event, seq, at), copied: seq <= copiedThrough, between });
      if (event.purpose === undefined) between = [];
    }
    if (event.kind !== 'assistant.finished' && event.kind !== 'request.failed') continue;
    const place = places.get(event.requestId);
    const open = place === undefined ? undefined : requests[place];
    if (place !== undefined && open !== undefined)
      requests[place] = { ...open, endedAt: at, copied: seq <= copiedThrough, ...endOf(event, open) };
  }
  return { requests, ...sumsOf(requests) };
}

function opened(event: StartedEvent, seq: number, at: number): Omit<LedgerRequest, 'copied' | 'between'> {
  const { requestId, turnId, model, attempt, bytes, segments, purpose, covers } = event;
  return {
    seq,
    at,
    endedAt: undefined,
    requestId,
    turnId,
    model,
    attempt,
    purpose: purpose ?? 'turn',
    apart: covers !== undefined,
    bytes,
    segments,
    outcome: 'open',
    usage: undefined,
    rates: undefined,
    parts: null,
    costPico: null,
    estimated: undefined,
    billed: false,
    diagnosis: undefined,
  };
}

type Ended = Extract<SessionEvent, { kind: 'assistant.finished' | 'request.failed' }>;

function endOf(event: Ended, open: LedgerRequest): Partial<LedgerRequest> {
  const { usage, rates, costPico = null, estimated } = event;
  const paid = { usage, rates, costPico, estimated, parts: partsOf(usage, rates, costPico) };
  if (event.kind === 'assistant.finished')
    return { ...paid, outcome: 'answered', billed: event.billed ?? false, diagnosis: event.diagnosis };
  return { ...paid, outcome: 'failed', purpose: open.purpose === 'turn' ? 'failed' : open.purpose };
}

/** Null where the log does not hold the rates. */
function partsOf(usage: Usage | undefined, rates: Rates | undefined, costPico: number | null): PaidParts | null {
  if (usage === undefined || rates === undefined || costPico === null || !usage.reported) return null;
  const { uncached, cacheRead, cacheWrite, output } = partsAt(usage, rates);
  const long = Math.min(usage.cacheWrite1h ?? 0, usage.cacheWrite) * (rates.cacheWrite1h ?? rates.cacheWrite);
  const adjusted = costPico - uncached - cacheRead - cacheWrite - output;
  return { uncached, cacheRead, cacheWrite: cacheWrite - long, cacheWrite1h: long, output, adjusted };
}

/** Kinds after which a prompt may not begin as before (I3). */
const prefixKinds: ReadonlySet<string> = new Set([
  'context.trimmed',
  'context.compacted',
  'model.changed',
  'session.rewound',
  'secret.forgotten',
  'images.refused',
]);

function prefixEvent(seq: number, event: SessionEvent): PrefixEvent | undefined {
  if (!prefixKinds.has(event.kind)) return undefined;
  if (event.kind !== 'context.trimmed') return { seq, kind: event.kind };
  return { seq, kind: event.kind, read: event.predicted.read, kept: event.predicted.kept };
}

function sumsOf(requests: readonly LedgerRequest[]): Omit<Ledger, 'requests'> {
  const paid = requests.flatMap((request) => {
    const { usage, copied, costPico, outcome, estimated } = request;
    const counts =
      !copied && usage !== undefined && (outcome === 'answered' || usage.reported || estimated !== undefined);
    return counts ? [{ request, totals: totalsOf(usage, costPico, estimated) }] : [];
  });
  const by = <K>(keyOf: (request: LedgerRequest) => K): readonly (readonly [K, Totals])[] => {
    const sums = new Map<K, Totals>();
    for (const { request, totals } of paid) {
      const key = keyOf(request);
      sums.set(key, addTotals(sums.get(key) ?? noTotals, totals));
    }
    return [...sums];
  };
  return {
    totals: paid.reduce((sum, { totals }) => addTotals(sum, totals), noTotals),
    byModel: by(({ model }) => model).map(([model, totals]) => ({ model, totals })),
    byPurpose: by(({ purpose }) => purpose).map(([purpose, totals]) => ({ purpose, totals })),
  };
}
