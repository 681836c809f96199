/** Adds up what requests weighed. Weighted: a cache read costs a tenth, a write 1.25 on anthropic and 1.0 elsewhere. */
import type { Wire } from '../wire.ts';
import type { TokenCounts } from './weigh.ts';

export interface WeightTotals {
  /** All requests, also refused ones; `requestBytes` are those of all bodies. */
  readonly requests: number;
  readonly requestBytes: number;
  /** Of the first request that was answered. */
  readonly systemTokens: number;
  readonly toolsTokens: number;
  readonly peakTokens: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly uncached: number;
  readonly output: number;
  /** cacheRead / (cacheRead + cacheWrite + uncached), 0 when nothing was answered. */
  readonly hitRate: number;
  readonly weighted: number;
}

export interface Paid {
  readonly wire: Wire;
  readonly bytes: number;
  readonly tokens: TokenCounts;
  /** null: refused or never answered, so nothing was paid. */
  readonly cache: { readonly read: number; readonly write: number; readonly uncached: number } | null;
  readonly output: number;
}

const writePrice: Readonly<Record<Wire, number>> = { anthropic: 1.25, responses: 1, chat: 1 };

export function totalsOf(requests: readonly Paid[]): WeightTotals {
  const paid = requests.flatMap((request) => (request.cache === null ? [] : [{ ...request, cache: request.cache }]));
  const sum = (of: (request: (typeof paid)[number]) => number) =>
    paid.reduce((total, request) => total + of(request), 0);
  const [cacheRead, cacheWrite, uncached] = [
    sum((r) => r.cache.read),
    sum((r) => r.cache.write),
    sum((r) => r.cache.uncached),
  ];
  const prompt = cacheRead + cacheWrite + uncached;
  return {
    requests: requests.length,
    requestBytes: requests.reduce((total, request) => total + request.bytes, 0),
    systemTokens: paid[0]?.tokens.system ?? 0,
    toolsTokens: paid[0]?.tokens.tools ?? 0,
    peakTokens: Math.max(0, ...paid.map((request) => request.tokens.total)),
    cacheRead,
    cacheWrite,
    uncached,
    output: sum((request) => request.output),
    hitRate: prompt === 0 ? 0 : rounded(cacheRead / prompt, 4),
    weighted: rounded(
      sum(({ wire, cache }) => cache.uncached + 0.1 * cache.read + writePrice[wire] * cache.write),
      1,
    ),
  };
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
