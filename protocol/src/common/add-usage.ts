/** Sums what several requests used. */
import type { Usage } from './usage.ts';

export const noUsage: Usage = { uncached: 0, cacheRead: 0, cacheWrite: 0, output: 0, reported: false };

/** Reported when any of them is: the others count as 0. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    uncached: a.uncached + b.uncached,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    output: a.output + b.output,
    reported: a.reported || b.reported,
    ...sumOf('cacheWrite1h', a, b),
    ...sumOf('reasoning', a, b),
  };
}

function sumOf(field: 'cacheWrite1h' | 'reasoning', a: Usage, b: Usage) {
  return a[field] === undefined && b[field] === undefined ? {} : { [field]: (a[field] ?? 0) + (b[field] ?? 0) };
}
