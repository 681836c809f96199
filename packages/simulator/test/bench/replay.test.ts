import { expect, test } from '@jest/globals';
import { costOfTrims, leastCost } from '@zerd/simulator/bench/replay/clairvoyant';
import { measureReplay } from '@zerd/simulator/bench/replay/measure-replay';
import { playSession } from '@zerd/simulator/bench/replay/play-session';
import { type ReplayPrice, replayPrices } from '@zerd/simulator/bench/replay/prices';
import type { RecordedCall, RecordedSession } from '@zerd/simulator/bench/replay/shapes';
import fc from 'fast-check';

const none = Number.POSITIVE_INFINITY;
const priceNamed = (name: string) => replayPrices.find((price) => price.name === name) as ReplayPrice;
const classic = priceNamed('r.10w1.25');

function call(kind: string, more: Partial<RecordedCall> = {}): RecordedCall {
  return { kind, file: undefined, input: 20, result: 50, failed: false, key: kind, ...more };
}

/** Requests ten seconds apart, in one turn. */
function session(...calls: readonly (readonly RecordedCall[])[]): RecordedSession {
  return calls.map((own, index) => ({ at: 10 * index, turn: 1, before: index === 0 ? 100 : 0, calls: own }));
}

const anySession = fc
  .array(
    fc.record({
      gap: fc.constantFrom(5, 20, 90, 400),
      before: fc.constantFrom(0, 60),
      results: fc.array(fc.constantFrom(30, 400, 2_000, 9_000), { maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((requests): RecordedSession => {
    let at = 0;
    return requests.map(({ gap, before, results }) => {
      at += gap;
      return { at, turn: 1, before, calls: results.map((result) => call('read', { result })) };
    });
  });
const anyPrice = fc.constantFrom(...replayPrices.filter((price) => !price.bound));

test('the played cache and the formulas of the programme charge the same for the same trims', () => {
  fc.assert(
    fc.property(anySession, anyPrice, (recorded, price) => {
      const { cost, trims } = playSession(recorded, price, { kind: 'open', ceiling: none });
      expect(cost).toBeCloseTo(costOfTrims(recorded, price, trims), 6);
      const untouched = playSession(recorded, price, { kind: 'append-only', ceiling: none });
      expect(untouched.cost).toBeCloseTo(costOfTrims(recorded, price, []), 6);
    }),
  );
});

test('nobody beats the programme: not the planner, not any other choice of trims', () => {
  fc.assert(
    fc.property(anySession, anyPrice, fc.array(fc.nat(40)), (recorded, price, trims) => {
      const least = leastCost(recorded, price, () => true);
      const planned = playSession(recorded, price, { kind: 'open', ceiling: none }).cost;
      expect(Math.min(planned, costOfTrims(recorded, price, trims)) - least).toBeGreaterThanOrEqual(-1e-6);
    }),
  );
});

test('a prompt that never shrinks is read at the read price and written once', () => {
  const recorded = session([call('read', { result: 1_000 })], [call('other')], []);
  const prompts = [4_100, 5_120, 5_190];
  const cost = 1.25 * 4_100 + (0.1 * 4_100 + 1.25 * 1_020) + (0.1 * 5_120 + 1.25 * 70);
  expect(playSession(recorded, classic, { kind: 'append-only', ceiling: none }).cost).toBeCloseTo(cost, 6);
  expect(playSession(recorded, priceNamed('none'), { kind: 'append-only', ceiling: none }).cost).toBe(
    prompts.reduce((sum, prompt) => sum + prompt, 0),
  );
});

test('closed loop, an edit of a file whose text was cleared costs a request that brings it back, once', () => {
  const read = call('read', { file: 1, result: 30_000, key: 'read 1' });
  const idle = Array.from({ length: 30 }, () => [call('other')]);
  const edit = call('edit', { file: 1 });
  const recorded = session([read], ...idle, [edit], [edit], []);
  const played = playSession(recorded, classic, { kind: 'closed', ceiling: none });
  expect(played).toMatchObject({ rereads: 1, compactions: 0 });
  const untouched = session([read], [call('other')], [edit], []);
  expect(playSession(untouched, classic, { kind: 'closed', ceiling: none }).rereads).toBe(0);
});

test('the figures have a row a price, and a session that has nothing old costs what the programme says', () => {
  const figures = measureReplay([session(...Array.from({ length: 10 }, () => [call('other')]))]);
  expect(Object.keys(figures)).toEqual(['r.10w1.25', 'r.05w1.25', 'r.025w1.25', 'r.20w1', 'none', 'bound']);
  expect(figures['r.10w1.25']).toEqual({
    vsClairvoyant: 1,
    p95: 1,
    worst: 1,
    closedLoopVsAppendOnly: 1,
    rereads: 0,
    compactions: 0,
  });
});
