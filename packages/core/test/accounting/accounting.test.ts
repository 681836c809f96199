import { expect, test } from '@jest/globals';
import { costOf, costParts } from '@zerd/core/accounting/cost';
import { estimateLost, estimateRequest } from '@zerd/core/accounting/estimate-request';
import { formatUsd } from '@zerd/core/accounting/format-usd';
import { priceFromUsd } from '@zerd/core/accounting/price';
import { addTotals, noTotals, totalsOf } from '@zerd/core/accounting/totals';
import type { Usage } from '@zerd/protocol/common/usage';
import fc from 'fast-check';

const price = priceFromUsd({ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }, 'a price list', '2026-11-29');
const longPrice = { ...price, cacheWrite1h: 6_000_000 };

function usage(some: Partial<Usage>): Usage {
  return { uncached: 0, cacheRead: 0, cacheWrite: 0, output: 0, reported: true, ...some };
}

test('a price in USD per million tokens is exact in pico-dollars per token', () => {
  const exact = priceFromUsd(
    { input: 0.15, output: 0.6, cacheRead: 0.0375, cacheWrite: 1.1, cacheWrite1h: 2.2 },
    's',
    'd',
  );
  expect(exact).toEqual({
    input: 150_000,
    output: 600_000,
    cacheRead: 37_500,
    cacheWrite: 1_100_000,
    cacheWrite1h: 2_200_000,
    source: 's',
    asOf: 'd',
  });
  expect(priceFromUsd({ input: 2, output: 8 }, 's', 'd')).toMatchObject({
    cacheRead: 2_000_000,
    cacheWrite: 2_000_000,
  });
});

test('I11: what no request costs is no price: an absurd rate leaves it unpriced, and nothing in it is a broken figure', () => {
  const absurd = priceFromUsd({ input: 1_000_000, output: 1_000_000 }, 's', 'd');
  expect(costOf(usage({ uncached: 9_000 }), absurd)).toBe(9_000 * 1e12);
  expect(costOf(usage({ uncached: 20_000 }), absurd)).toBeNull();
  expect(costOf(usage({}), price)).toBe(0);
});

test('P088: a prompt of 17,111 tokens with 17,102 from the cache pays 9 in full and 17,102 at the cache price', () => {
  expect(costOf(usage({ uncached: 9, cacheRead: 17_102 }), price)).toBe(9 * 3_000_000 + 17_102 * 300_000);
});

test('P090: tokens written to the cache are billed once, as writes', () => {
  expect(costOf(usage({ cacheWrite: 1_000 }), price)).toBe(1_000 * 3_750_000);
});

test('P092: a service that counts the cache inside the input and one that counts it outside come to one total', () => {
  const inside = { input: 17_111, cached: 17_102, output: 40 };
  const outside = { input: 9, cached: 17_102, output: 40 };
  const fromInside = usage({ uncached: inside.input - inside.cached, cacheRead: inside.cached, output: inside.output });
  const fromOutside = usage({ uncached: outside.input, cacheRead: outside.cached, output: outside.output });
  const sum = addTotals(
    totalsOf(fromInside, costOf(fromInside, price)),
    totalsOf(fromOutside, costOf(fromOutside, price)),
  );
  expect(sum).toEqual({
    requests: 2,
    uncached: 18,
    cacheRead: 34_204,
    cacheWrite: 0,
    output: 80,
    costPico: 2 * (9 * 3_000_000 + 17_102 * 300_000 + 40 * 15_000_000),
    unpricedRequests: 0,
  });
});

test('one-hour cache writes cost their own price where the row has one, else that of other writes', () => {
  const mixed = usage({ cacheWrite: 100, cacheWrite1h: 40 });
  expect(costOf(mixed, longPrice)).toBe(60 * 3_750_000 + 40 * 6_000_000);
  expect(costOf(mixed, price)).toBe(100 * 3_750_000);
});

test('I11: without a price row or without a report there is no cost, and a free model costs nothing', () => {
  const some = usage({ uncached: 5, output: 5 });
  expect(costOf(some, undefined)).toBeNull();
  expect(costOf({ ...some, reported: false }, price)).toBeNull();
  expect(costOf(some, priceFromUsd({ input: 0, output: 0 }, 's', 'd'))).toBe(0);
  expect(addTotals(totalsOf(some, null), totalsOf(some, 7))).toMatchObject({ costPico: 7, unpricedRequests: 1 });
});

test("the provider's own figure wins over any price, and over none", () => {
  expect(costOf(usage({ uncached: 5 }), price, 42)).toBe(42);
  expect(costOf(usage({ reported: false }), undefined, 0)).toBe(0);
});

test('the parts add up to the whole, and costs add up over requests, exactly', () => {
  const tokens = fc.nat(2_000_000);
  const anyUsage = fc
    .record({ uncached: tokens, cacheRead: tokens, cacheWrite: tokens, cacheWrite1h: tokens, output: tokens })
    .map((some) => usage(some));
  const perToken = fc.nat(100_000_000);
  const anyPrice = fc
    .record({ input: perToken, output: perToken, cacheRead: perToken, cacheWrite: perToken, cacheWrite1h: perToken })
    .map((some) => ({ ...some, source: 's', asOf: 'd' }));
  fc.assert(
    fc.property(fc.array(anyUsage, { maxLength: 5 }), anyPrice, (usages, row) => {
      let whole = 0n;
      for (const each of usages) {
        const parts = costParts(each, row);
        const cost = costOf(each, row);
        const sum = Object.values(parts ?? {}).reduce((total, part) => total + BigInt(part), 0n);
        expect(BigInt(cost ?? -1)).toBe(sum);
        whole += sum;
      }
      const totals = usages.map((each) => totalsOf(each, costOf(each, row))).reduce(addTotals, noTotals);
      expect(BigInt(totals.costPico)).toBe(whole);
    }),
  );
});

test('money reads as dollars; a trifle never reads as nothing', () => {
  const check = (pico: number | null, expected: string) => expect(formatUsd(pico)).toBe(expected);
  check(null, 'unpriced');
  check(0, '$0.00');
  check(1, '<$0.0001');
  check(4_200_000_000, '$0.0042');
  check(310_000_000_000, '$0.3100');
  check(999_990_000_000, '$1.00');
  check(1_604_000_000_000, '$1.60');
  check(123_456_000_000_000, '$123.46');
  check(-310_000_000_000, '-$0.3100');
});

test('what was served at a price that nobody knows counts in budgets by the usual one, and is in no sum (I11)', () => {
  const served = usage({ uncached: 10, cacheRead: 100, output: 2, tier: 'priority' });
  const estimated = { prompt: 0, output: 0, costPico: 10 * 3_000_000 + 100 * 300_000 + 2 * 15_000_000 };
  expect(estimateRequest({ body: {}, output: 2, usage: served, price })).toEqual(estimated);
  expect(estimateRequest({ body: {}, output: 2, usage: served, price: { ...price, own: true } })).toBeUndefined();
  expect(totalsOf(served, costOf(served, price), estimated)).toMatchObject({
    costPico: 0,
    unpricedRequests: 1,
    estimatedPico: estimated.costPico,
  });
});

test('of an answer that broke off what arrived beyond its report is estimated, at the rate behind its prompt; a report that can be all of it stands', () => {
  const tiered = { ...price, above: { tokens: 1_000, price: { ...price, output: 30_000_000 } } };
  const begun = (cacheRead: number, output: number) => usage({ cacheRead, output });
  const rest = (of: Usage, output: number, brokenOff = true) =>
    estimateRequest({ body: {}, output, brokenOff, usage: of, price: tiered });
  expect(rest(begun(900, 3), 1_000.2)).toEqual({ prompt: 0, output: 998, costPico: 998 * 15_000_000 });
  expect(rest(begun(1_100, 3), 1_000.2)).toEqual({ prompt: 0, output: 998, costPico: 998 * 30_000_000 });
  expect(rest(begun(900, 800), 1_000)).toBeUndefined();
  expect(rest(begun(900, 3), 1_000, false)).toBeUndefined();
  expect(estimateRequest({ body: {}, output: 9, brokenOff: true, usage: begun(900, 1), price: null })?.costPico).toBe(
    null,
  );
});

test('of a request of which nothing was reported its images count by their rule: its body names them alone', () => {
  const tokens = (images?: number) =>
    estimateRequest({ body: {}, output: 0, usage: undefined, price, ...(images === undefined ? {} : { images }) })
      ?.prompt;
  expect((tokens(1_500) ?? 0) - (tokens() ?? 0)).toBe(1_500);
  expect(estimateLost(400, 1_500, price).prompt).toBe(1_600);
});
