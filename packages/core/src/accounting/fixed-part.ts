/**
 * The part with which every prompt of a session begins, system text and tools: by its hashes, and how many tokens it has,
 * which no provider says. Invariant: a figure comes from a request that was reported, by the share of its bytes.
 */
import { type FixedUse, type FixedUses, fixedShare, isFixed } from '../session/fixed-use.ts';
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
  return Math.floor(prompt * fixedShare(segments));
}

/** Below it the rest of a request says too little of what begins it. */
const leastShare = 0.3;

/**
 * As the request tells it that held least besides: one of this model, or, where all of those held much, of any. Undefined:
 * nothing was reported.
 */
export function knownFixed(uses: FixedUses, model: string): number | undefined {
  const own = uses.get(model);
  const best = own !== undefined && own.share >= leastShare ? own : purest(uses);
  return best === undefined ? undefined : Math.floor(best.prompt * best.share);
}

function purest(uses: FixedUses): FixedUse | undefined {
  return [...uses.values()].reduce<FixedUse | undefined>(
    (most, one) => (one.share > (most?.share ?? 0) ? one : most),
    undefined,
  );
}
