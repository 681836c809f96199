/**
 * Names the cause of one miss. The order: below the minimum; the provider's own diagnosis; what was sent (which segment
 * differs, which event changed it); idle beyond the lifetime; a compaction; parallel first requests; else the provider's
 * side. Invariant: the user is named only for what he did, and nothing is ours that was sent byte for byte as before.
 */

import type { CacheKnowledge, FirstElsewhere } from './cache-knowledge.ts';
import { inWords } from './duration.ts';
import type { LedgerRequest, PrefixEvent } from './ledger.ts';

export type CauseKind =
  | 'belowMinimum'
  | 'modelChanged'
  | 'rewound'
  | 'forgotten'
  | 'trimmed'
  | 'compacted'
  | 'imagesRefused'
  | 'changed'
  | 'diagnosed'
  | 'idle'
  | 'parallel'
  | 'providerSide'
  | 'unknown';

export interface CauseFound {
  readonly cause: CauseKind;
  readonly blame: 'ours' | 'yours' | 'provider' | 'unknown';
  /** Decided, because it was expected to save more than it cost. */
  readonly planned: boolean;
  /** The first part of the request that is not as it was before. */
  readonly segment?: string;
  readonly event?: { readonly kind: string; readonly seq: number };
  /** The provider's word for it. */
  readonly diagnosis?: string;
  /** One line for people. */
  readonly says: string;
}

export interface MissedRequest {
  readonly request: LedgerRequest;
  /** The one of this session whose prompt it continues; undefined: it is the first. */
  readonly before: LedgerRequest | undefined;
  readonly about: CacheKnowledge;
  /** Tokens that were expected to be there. */
  readonly held: number;
  /** First requests of other sessions with the same fixed part. */
  readonly others: readonly FirstElsewhere[];
}

export function causeOf(missed: MissedRequest): CauseFound {
  const { request, about, held } = missed;
  if (about.minPrefix !== null && held < about.minPrefix) {
    const says = `${held} tokens: the model caches nothing below ${about.minPrefix}`;
    return { cause: 'belowMinimum', blame: 'provider', planned: false, says };
  }
  const found = diagnosed(missed) ?? sent(missed) ?? idle(missed) ?? parallel(missed);
  if (found !== undefined) return withDiagnosis(found, request);
  const why = missed.before?.segments.length === 0 || request.segments.length === 0 ? untold : lost(request);
  return withDiagnosis(why, request);
}

const untold: CauseFound = {
  cause: 'unknown',
  blame: 'unknown',
  planned: false,
  says: 'the log does not hold what was sent',
};

function lost({ diagnosis, between }: LedgerRequest): CauseFound {
  const agreed = diagnosis?.verdict === 'same' ? ', and the provider says so too' : '';
  const kept = newest(between, ['context.trimmed'])?.kept ?? 0;
  const same =
    kept > 0 ? `${kept} tokens were left as they were when old results were cleared` : 'what was sent began as before';
  const says = `the provider lost it or asked elsewhere: ${same}${agreed}`;
  return { cause: 'providerSide', blame: 'provider', planned: false, says };
}

function withDiagnosis(found: CauseFound, { diagnosis }: LedgerRequest): CauseFound {
  return diagnosis?.reason === undefined ? found : { ...found, diagnosis: diagnosis.reason };
}

/** What the provider names is looked up in what was sent; where we sent the same, it stands as the provider's word. */
function diagnosed(missed: MissedRequest): CauseFound | undefined {
  const { diagnosis } = missed.request;
  if (diagnosis?.verdict !== 'changed') return undefined;
  const here = sent(missed);
  // A trim in the cold costs nothing: what made it cold is the cause.
  if (here !== undefined || coldTrim(missed) !== undefined) return here;
  const reason = diagnosis.reason ?? 'something';
  const parameter = /effort|verbosity|tier|format|key/.test(reason);
  const says = `the provider says: ${reason.replaceAll('_', ' ')}; what zerd sent began as before`;
  return { cause: 'diagnosed', blame: parameter ? 'unknown' : 'provider', planned: false, says };
}

function sent(missed: MissedRequest): CauseFound | undefined {
  const { request, before } = missed;
  if (before === undefined) return undefined;
  const changed = (of: CauseFound): CauseFound => ({ ...of, ...segmentIn(before, request) });
  if (before.model !== request.model) {
    const says = `another model answers: ${before.model}, now ${request.model}`;
    return changed({
      cause: 'modelChanged',
      blame: 'yours',
      planned: false,
      ...eventIn(request, 'model.changed'),
      says,
    });
  }
  const segment = segmentIn(before, request).segment;
  const event = newest(request.between, [
    'session.rewound',
    'secret.forgotten',
    'context.compacted',
    'context.trimmed',
    'images.refused',
  ]);
  if (segment === undefined && event === undefined) return undefined;
  if (event === undefined)
    return changed({
      cause: 'changed',
      blame: 'ours',
      planned: false,
      says: `${segment} is not what it was, and no event says why`,
    });
  if (event.kind === 'context.trimmed') return trimmed(missed, event, changed);
  return changed({ ...byEvent[event.kind], event: { kind: event.kind, seq: event.seq } } as CauseFound);
}

const byEvent: Readonly<Record<string, Omit<CauseFound, 'event'>>> = {
  'session.rewound': {
    cause: 'rewound',
    blame: 'yours',
    planned: false,
    says: 'the conversation went back to an earlier point',
  },
  'secret.forgotten': {
    cause: 'forgotten',
    blame: 'yours',
    planned: false,
    says: 'a secret was taken out of the conversation',
  },
  'context.compacted': {
    cause: 'compacted',
    blame: 'ours',
    planned: true,
    says: 'a summary took the place of the older part',
  },
  'images.refused': {
    cause: 'imagesRefused',
    blame: 'provider',
    planned: false,
    says: 'the provider refused an image, which is named from there on',
  },
};

/** Undefined where the trim found nothing to lose, or where more was lost than it gave up. */
function trimmed(
  { request }: MissedRequest,
  event: PrefixEvent,
  changed: (of: CauseFound) => CauseFound,
): CauseFound | undefined {
  const { read = 0, kept = 0 } = event;
  if (read === 0 || (request.usage?.cacheRead ?? 0) < kept - tolerance(kept)) return undefined;
  const says = 'old results were cleared, which was expected to save more';
  return changed({ cause: 'trimmed', blame: 'ours', planned: true, event: { kind: event.kind, seq: event.seq }, says });
}

/** What a trim keeps is estimated. */
function tolerance(kept: number): number {
  return Math.max(1_024, 0.2 * kept);
}

function coldTrim({ request }: MissedRequest): PrefixEvent | undefined {
  const trim = newest(request.between, ['context.trimmed']);
  return trim?.read === 0 ? trim : undefined;
}

function idle({ request, before, about }: MissedRequest): CauseFound | undefined {
  const gap = before === undefined ? 0 : request.at - before.at;
  if (before === undefined || gap <= about.cacheMs) return undefined;
  const inTurn = before.turnId === request.turnId;
  const what = inTurn ? 'a tool ran or a question waited for' : 'idle for';
  const says = `${what} ${inWords(gap)}, and the provider keeps it for ${inWords(about.cacheMs)}`;
  return { cause: 'idle', blame: inTurn ? 'ours' : 'yours', planned: false, says };
}

function parallel({ request, others }: MissedRequest): CauseFound | undefined {
  if (others.length === 0) return undefined;
  if (others.some(({ endedAt }) => endedAt !== undefined && endedAt <= request.at)) return undefined;
  const says = 'it was sent beside another one that begins the same, before that one was answered';
  return { cause: 'parallel', blame: 'ours', planned: false, says };
}

function segmentIn(before: LedgerRequest, now: LedgerRequest): { readonly segment?: string } {
  const at = before.segments.findIndex(({ name, hash }, i) => {
    const same = now.segments[i];
    return same?.hash !== hash || same.name !== name;
  });
  const segment = at === -1 ? undefined : (now.segments[at] ?? before.segments[at])?.name;
  return segment === undefined ? {} : { segment };
}

function eventIn({ between }: LedgerRequest, kind: string): Pick<CauseFound, 'event'> {
  const event = newest(between, [kind]);
  return event === undefined ? {} : { event: { kind, seq: event.seq } };
}

function newest(between: readonly PrefixEvent[], kinds: readonly string[]): PrefixEvent | undefined {
  return between.findLast(({ kind }) => kinds.includes(kind));
}
