/**
 * The part with which every prompt of a session begins, system text and tools: by its hashes, and how many tokens it has,
 * which no provider says. Invariant: a figure comes from a request that was reported, by the share of its bytes.
 */
import { promptOf } from '../context/relieve/prompt-tokens.ts';
import type { LedgerRequest } from './ledger.ts';

/** Equal for requests whose system text and tools are. */
export function fixedOf({ segments }: Pick<LedgerRequest, 'segments'>): string {
  return segments
    .filter(isFixed)
    .map(({ hash }) => hash)
    .join();
}

/** Of the tokens of a request. */
export function fixedTokens({ segments }: Pick<LedgerRequest, 'segments'>, prompt: number): number {
  return Math.floor(prompt * shareOf(segments));
}

/** Below it the rest of a request says too little of what begins it. */
const leastShare = 0.3;

/**
 * As the request tells it that held least besides: one of this model, or, where all of those held much, of any. Undefined:
 * nothing was reported.
 */
export function knownFixed(requests: readonly LedgerRequest[], model: string): number | undefined {
  const reported = requests.filter(({ usage, apart }) => !apart && usage?.reported === true);
  const own = purest(reported.filter((request) => request.model === model));
  const best = own !== undefined && shareOf(own.segments) >= leastShare ? own : purest(reported);
  return best?.usage === undefined ? undefined : fixedTokens(best, promptOf(best.usage));
}

function purest(requests: readonly LedgerRequest[]): LedgerRequest | undefined {
  const share = (request: LedgerRequest | undefined) => (request === undefined ? 0 : shareOf(request.segments));
  return requests.reduce<LedgerRequest | undefined>((most, one) => (share(one) > share(most) ? one : most), undefined);
}

function isFixed({ name }: LedgerRequest['segments'][number]): boolean {
  return name === 'tools' || name === 'system';
}

function shareOf(segments: LedgerRequest['segments']): number {
  const sum = (some: LedgerRequest['segments']) => some.reduce((total, { bytes }) => total + bytes, 0);
  const all = sum(segments);
  return all === 0 ? 0 : sum(segments.filter(isFixed)) / all;
}
