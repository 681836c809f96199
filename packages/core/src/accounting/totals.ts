/** Sums over requests. Unpriced requests are counted apart, so that a sum never passes for the whole. */

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
export function totalsOf(usage: Usage, costPico: number | null): Totals {
  const { uncached, cacheRead, cacheWrite, output } = usage;
  const unpricedRequests = costPico === null ? 1 : 0;
  return { requests: 1, uncached, cacheRead, cacheWrite, output, costPico: costPico ?? 0, unpricedRequests };
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
  };
}
