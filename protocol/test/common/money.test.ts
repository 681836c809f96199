import { expect, test } from '@jest/globals';
import { totalsSchema } from '../../src/common/cost-shapes.ts';
import { methods } from '../../src/common/methods.ts';

test('a sum beyond what whole numbers hold is told, to less than a millionth of a cent', () => {
  const tokens = { requests: 2, uncached: 1, cacheRead: 0, cacheWrite: 0, output: 1, unpricedRequests: 0 };
  for (const dollars of [9_000, 9_008, 1_000_000, 1e9]) {
    const costPico = dollars * 1e12 + 1;
    const totals = totalsSchema.parse({ ...tokens, costPico });
    expect(Math.abs(totals.costPico / 1e12 - dollars)).toBeLessThan(1e-8 * Math.max(1, dollars / 1e6));
    const read = methods['cost/read'].result.parse(JSON.parse(JSON.stringify({ totals, byModel: [] })));
    expect(read.totals.costPico).toBe(costPico);
  }
});
