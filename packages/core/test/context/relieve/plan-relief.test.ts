import { expect, test } from '@jest/globals';
import { ceilingOf } from '@zerd/core/context/relieve/ceiling';
import { compactionRent } from '@zerd/core/context/relieve/compaction-rent';
import { type Plan, planRelief, type ReliefRule } from '@zerd/core/context/relieve/plan-relief';
import { protect } from '@zerd/core/context/relieve/protect';
import type { PlannerView } from '@zerd/core/context/relieve/view';
import fc from 'fast-check';
import { model, times, viewOf } from './views.ts';

const example = [10_000, 10_000, 10_000, 300, 300, 300, 300, 300, 300];

test.each([
  [8, 'keep', { cut: 9_900, read: 34_900, kept: 4_000, rewritten: 21_000, rent: 990, price: 24_150 }],
  [9, 'keep', { cut: 19_800, read: 35_200, kept: 4_000, rewritten: 11_400, rent: 2_970, price: 13_110 }],
  [10, 'trim', { cut: 29_700, read: 35_500, kept: 4_000, rewritten: 1_800, rent: 5_940, price: 2_070 }],
])('the worked example: before request %i it is %s', (request, kind, figures) => {
  const plan = planRelief(viewOf(example.slice(0, request - 1)));
  expect(plan.kind).toBe(kind);
  expect(rounded(plan)).toMatchObject(figures);
});

test('the worked example: trimmed, request 10 costs 3,025 instead of 3,925', () => {
  const plan = planRelief(viewOf(example));
  expect(rounded(plan)).toMatchObject({ costKept: 3_925, costTrimmed: 3_025 });
  expect(plan).toMatchObject({
    results: ['c1', 'c2', 'c3'],
    inputs: [],
    keptFrom: 3,
    entryAt: 0,
    reason: 'old results have paid for their rewrite',
  });
});

test('P014: a warm tail that costs more than the rent is left alone, a cold one is trimmed at once', () => {
  check(viewOf(times(8, 20_000)), 'keep', 'clearing costs more than it has paid');
  check(viewOf(times(8, 20_000), { read: 0 }), 'trim', 'the cache is cold');
});

test('no cache at all: everything old goes on every request; less than 1,000 tokens never', () => {
  const none = { ...model, read: 1, write: 1, cache: { kind: 'none' } } as const;
  check(viewOf(times(7, 1_200), { model: none, read: 0 }), 'trim');
  check(viewOf(times(7, 1_000), { model: none, read: 0 }), 'keep', 'nothing old enough to clear');
});

test('rent starts anew after a trim, a compaction or a change of model', () => {
  const rentAfter = (resetAt: number) => rounded(planRelief(viewOf(times(9, 2_000), { resetAt }))).rent;
  // Three results are old: they have paid 3, 2 and 1 times 190; a reset before the 8th request leaves 2, 2 and 1.
  expect([0, 6, 7, 8, 9].map(rentAfter)).toEqual([1_140, 1_140, 950, 570, 0]);
});

test('what is protected stays; when it comes free far in front, the cut begins behind it', () => {
  const heavy = (protectedUntil: number) => ({ call: { result: 1_500, protectedUntil } });
  const held = planRelief(viewOf([heavy(99), ...times(8, 10)]));
  expect(rounded(held).cut).toBe(0);
  const steady = times(24, { call: { input: 1_000, result: 0 } });
  const story = [heavy(38), ...steady, ...times(6, 3_000), ...times(6, 10)];
  expect(planRelief(viewOf(story, { stubsInputs: false }))).toMatchObject({
    kind: 'trim',
    results: ['c26', 'c27', 'c28', 'c29', 'c30', 'c31'],
  });
  const free = planRelief(viewOf([...story, 10], { stubsInputs: false }));
  expect(free).toMatchObject({ kind: 'trim', results: ['c26', 'c27', 'c28', 'c29', 'c30', 'c31'], entryAt: 25 });
});

test('arguments of old calls are cut with the results, the list of an earlier trim goes too', () => {
  const edit = { call: { input: 900, inputStub: 40, result: 2_000 } };
  const plan = planRelief(viewOf([edit, edit, edit, ...times(8, { list: 50, before: 50 })], { read: 0 }));
  expect(plan).toMatchObject({ kind: 'trim', results: ['c1', 'c2', 'c3'], inputs: ['c1', 'c2', 'c3'] });
  expect(rounded(plan).cut).toBe(3 * 860 + 3 * 1_900 + 8 * 50);
  const whole = planRelief(viewOf([edit, edit, edit, ...times(8, 0)], { read: 0, stubsInputs: false }));
  expect(whole).toMatchObject({ kind: 'trim', inputs: [] });
});

test('K is the last living entry in front of the first change; with a prefix cache that place, rounded down', () => {
  const late = [...times(4, 50), ...times(8, 5_000)];
  expect(rounded(planRelief(viewOf(late))).kept).toBe(4_200);
  const dead = viewOf(late);
  const requests = dead.requests.map((request, index) => ({ ...request, entry: index > 4 }));
  expect(rounded(planRelief({ ...dead, requests })).kept).toBe(4_000);
  const prefix = { ...model, cache: { kind: 'prefix', step: 128 } } as const;
  expect(rounded(planRelief(viewOf(late, { model: prefix }))).kept).toBe(4_096);
  expect(rounded(planRelief(viewOf(example, { fixed: 500, model: { ...model, minPrefix: 1_024 } }))).kept).toBe(0);
});

test('above the ceiling: to the window, then to two requests, then a compaction', () => {
  const big = viewOf(times(12, 20_000), { model: { ...model, ceiling: 130_000 } });
  expect(planRelief(big)).toMatchObject({ kind: 'trim', keptFrom: 6 });
  const tight = { ...model, ceiling: 60_000 };
  const two = planRelief(viewOf(times(12, 20_000), { model: tight }));
  expect(two).toMatchObject({ kind: 'trim', keptFrom: 10, reason: 'the prompt is above 60000 tokens' });
  const tiny = { ...model, ceiling: 30_000 };
  check(viewOf(times(12, 20_000), { model: tiny, compacts: true }), 'compact');
  check(viewOf(times(12, 20_000), { model: tiny }), 'trim');
  check(
    viewOf([{ before: 40_000 }], { model: tiny }),
    'keep',
    'the prompt is above 30000 tokens and there is nothing to clear',
  );
});

test('as it is set: old results go before every request whatever that costs, or never below the ceiling', () => {
  const early = viewOf(example.slice(0, 8));
  expect([undefined, 'every', 'never'].map((rule) => planRelief(early, rule as ReliefRule).kind)).toEqual([
    'keep',
    'trim',
    'keep',
  ]);
  expect(planRelief(viewOf([...times(3, 300), ...times(7, 10)]), 'every').kind).toBe('keep');
  const grown = viewOf(times(55, 3_000), { compacts: true, stubsInputs: false });
  expect(['due', 'never'].map((rule) => planRelief(grown, rule as ReliefRule).kind)).toEqual(['compact', 'keep']);
  const tight = viewOf(times(12, 20_000), { model: { ...model, ceiling: 130_000 } });
  expect(planRelief(tight, 'never')).toMatchObject({ kind: 'trim', keptFrom: 6 });
});

test('a model that binds its reasoning is trimmed between turns or at the ceiling, and its reasoning is in the price', () => {
  const binding = { ...model, bindsReasoning: true };
  const thinks = { call: { result: 3_000 }, answer: 500, reasoning: 400 };
  check(
    viewOf(times(30, 3_000), { model: binding }),
    'keep',
    'the model binds its reasoning: nothing changes within a turn',
  );
  check(viewOf(times(30, 3_000), { model: binding, turnStart: true }), 'trim');
  check(viewOf(times(70, 3_000), { model: binding }), 'trim', 'the prompt is above 180000 tokens');
  const price = (bindsReasoning: boolean) =>
    rounded(planRelief(viewOf(times(9, thinks), { model: { ...model, bindsReasoning }, turnStart: true }))).price;
  expect(price(true) - price(false)).toBe(6 * 400 * 5);
});

test('a compaction is due when what it would take away has cost twice its price, and never right after a cold moment', () => {
  const grown = (n: number) => viewOf(times(n, 3_000), { compacts: true, stubsInputs: false });
  const due = (n: number, more: Partial<PlannerView> = {}) =>
    compactionRent({ ...grown(n), ...more }, 4_000 + 3_000 * n).due;
  expect([10, 20, 60].map((n) => due(n))).toEqual([false, false, true]);
  expect(due(60, { compactedAt: 55 })).toBe(false);
  expect(due(60, { read: 0 })).toBe(false);
});

test('what a summary costs is learned from the last one of the session', () => {
  const view = viewOf(times(20, 3_000), { compacts: true, stubsInputs: false });
  const price = (more: Partial<PlannerView>) => compactionRent({ ...view, ...more }, 64_000).price;
  // The model's output costs five times its input; what the summary takes in the prompt is read from the session too.
  expect(price({}) - price({ summaryWritten: 600 })).toBeCloseTo(5 * (3_000 - 600));
  expect(price({}) - price({ digest: 1_500 })).toBeCloseTo(1.25 * (4_000 - 1_500));
});

test('a rewrite that a summary would soon throw away is not made first: the summary is made at once', () => {
  const at = (n: number) =>
    planRelief(viewOf(times(n, 3_000), { compacts: true, stubsInputs: false, summaryWritten: 0, digest: 1 }));
  const kinds = Array.from({ length: 30 }, (_, n) => at(n + 1)).map(({ kind, reason }) =>
    kind === 'compact' ? reason : kind,
  );
  expect(kinds.find((kind) => kind.startsWith('old'))).toMatch(/brings the summary that follows: it is made at once$/);
});

test('protected are the last read of a file under work, the newest failing run, and what was asked for again', () => {
  const call = { file: undefined, failed: false, again: false } as const;
  expect(
    protect([
      { ...call, request: 0, use: 'read', file: 'a' },
      { ...call, request: 1, use: 'read', file: 'a' },
      { ...call, request: 1, use: 'read', file: 'b' },
      { ...call, request: 2, use: 'run', failed: true },
      { ...call, request: 3, use: 'edit', file: 'a' },
      { ...call, request: 4, use: 'run', failed: true },
      { ...call, request: 5, use: 'other', again: true },
      { ...call, request: 6, use: 'edit', file: 'b', failed: true },
    ]),
  ).toEqual([0, 16, 0, 0, 0, Number.POSITIVE_INFINITY, 18, 0]);
});

test.each([
  [{ contextWindow: 1_000_000, maxOutput: 32_000 }, 180_000],
  [{ contextWindow: 128_000, maxOutput: 32_000 }, 108_000],
  [{ contextWindow: 128_000, maxOutput: 8_000 }, 120_000],
  [{ contextWindow: 1_000_000, maxOutput: 32_000, tierEdge: 100_000 }, 95_000],
  [{ contextWindow: null, maxOutput: 8_192 }, 180_000],
])('the ceiling of %j is %i', (of, expected) => expect(ceilingOf(of)).toBe(expected));

const brought = fc.record({ call: fc.record({ result: fc.nat(20_000), input: fc.nat(2_000) }), before: fc.nat(500) });

test('P016: whatever the session, a warm trim below the ceiling has paid for its rewrite, and cuts nothing of the window', () => {
  fc.assert(
    fc.property(fc.array(brought, { maxLength: 40 }), fc.boolean(), (brings, cold) => {
      const view = viewOf(brings, cold ? { read: 0 } : {});
      const plan = planRelief(view);
      expect(plan.figures.rewritten).toBeGreaterThanOrEqual(0);
      if (plan.kind !== 'trim' || plan.reason.includes('above')) return;
      expect(plan.figures.rent).toBeGreaterThanOrEqual(plan.figures.price);
      const newest = new Set(
        view.requests.slice(-view.window).flatMap((request) => request.calls.map((call) => call.callId)),
      );
      expect([...plan.results, ...plan.inputs].filter((id) => newest.has(id))).toEqual([]);
    }),
  );
});

function check(view: PlannerView, kind: Plan['kind'], reason?: string) {
  const plan = planRelief(view);
  expect(plan).toMatchObject({ kind, ...(reason === undefined ? {} : { reason }) });
}

function rounded(plan: Plan) {
  return Object.fromEntries(
    Object.entries(plan.figures).map(([name, value]) => [name, Math.round(Number(value))]),
  ) as unknown as Plan['figures'];
}
