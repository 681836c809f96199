/** Sums over requests. Unpriced requests are counted apart, so that a sum never passes for the whole. */

import type { Estimate } from '@zerd/protocol/common/cost-events';
import type { Totals } from '@zerd/protocol/common/methods';
import type { Usage } from '@zerd/protocol/common/usage';

export const noTotals: Totals = {
  requests: 0,
  uncached: 0,
  cacheRead: 0,
  cacheWrite: 0,
  output: 0,
  costPico: 0,
  unpricedRequests: 0,
};

/** One answered request. */
export function totalsOf(usage: Usage, costPico: number | null, estimated?: Estimate): Totals {
  const { uncached, cacheRead, cacheWrite, output } = usage;
  const unpricedRequests = costPico === null ? 1 : 0;
  const paid = { requests: 1, uncached, cacheRead, cacheWrite, output, costPico: costPico ?? 0, unpricedRequests };
  return { ...paid, ...estimates(estimated?.costPico ?? 0, estimated ? estimated.prompt + estimated.output : 0) };
}

/** Absent where there is nothing. */
export function estimates(estimatedPico: number, estimatedTokens: number) {
  return { ...(estimatedPico > 0 && { estimatedPico }), ...(estimatedTokens > 0 && { estimatedTokens }) };
}

export function addTotals(a: Totals, b: Totals): Totals {
  return {
    requests: a.requests + b.requests,
    uncached: a.uncached + b.uncached,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    output: a.output + b.output,
    costPico: a.costPico + b.costPico,
    unpricedRequests: a.unpricedRequests + b.unpricedRequests,
    ...estimates((a.estimatedPico ?? 0) + (b.estimatedPico ?? 0), (a.estimatedTokens ?? 0) + (b.estimatedTokens ?? 0)),
  };
}
