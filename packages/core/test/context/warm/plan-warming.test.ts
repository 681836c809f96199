import { expect, test } from '@jest/globals';
import { priceFromUsd } from '@zerd/core/accounting/price';
import { chanceOfReturn, pausesOf } from '@zerd/core/context/warm/chance-of-return';
import { planWarming, type Warmth } from '@zerd/core/context/warm/plan-warming';
import type { SessionEvent } from '@zerd/protocol/common/event';
import fc from 'fast-check';
import { created, log, message, turn } from '../../session/events.ts';

const minute = 60_000;
const priced = (cacheRead: number, cacheWrite: number, input = 4) =>
  priceFromUsd({ input, output: 20, cacheRead, cacheWrite }, 'test', '2026-11-29');
const atTen = priced(0.4, 5);
const user = (idleMs = 0, earlier: readonly number[] = []) => ({ for: 'user', idleMs, earlier }) as const;

const usual: Warmth = {
  held: 150_000,
  price: atTen,
  cacheMs: 5 * minute,
  unusedMs: minute,
  sent: 0,
  wait: { for: 'tool' },
};

test('a tool that runs longer than the cache lives is worth a refresh at nine tenths of its life', () => {
  expect(planWarming(usual)).toEqual({
    kind: 'warm',
    afterMs: 3.5 * minute,
    // 150,000 tokens: $0.06 to read them, and $0.75 to write them less $0.06.
    costPico: 60_000_000_000,
    savesPico: 690_000_000_000,
    chance: 1,
  });
});

test.each<[string, Partial<Warmth>, string | number]>([
  ['it is due already', { unusedMs: 4.8 * minute }, 0],
  ['a cache that lives longer', { cacheMs: 30 * minute }, 26 * minute],
  ['three were sent', { sent: 3 }, '3 requests have kept it warm'],
  ['it is cold', { held: 0 }, 'nothing is held, or it is cold'],
  ['no price is known (I11)', { price: null }, 'unpriced: nobody knows whether it pays'],
  ['the provider has no cache', { price: priced(4, 4) }, 'it would not pay'],
  ['the prompt is small', { held: 5_000 }, 'it would not pay'],
  [
    'above the edge nothing is known',
    { price: { ...atTen, above: { tokens: 100_000, price: null } } },
    'unpriced: nobody knows whether it pays',
  ],
  // The share that is needed, r / (w - r): 8.7 %, 4.2 %, 11 % and 25 %, against 15 % that come back.
  ['a user at r = 0.1, w = 1.25', { wait: user(), held: 300_000 }, 3.5 * minute],
  ['a user at r = 0.05, w = 1.25', { wait: user(), price: priced(0.2, 5) }, 3.5 * minute],
  ['a user at r = 0.1, w = 1', { wait: user(), price: priced(0.4, 4), held: 900_000 }, 3.5 * minute],
  ['a user at r = 0.2, w = 1', { wait: user(), price: priced(0.8, 4), held: 900_000 }, 'it would not pay'],
  [
    'a user who is away for half an hour',
    { wait: user(30 * minute), held: 900_000 },
    'the user has been away for too long',
  ],
  [
    'a user who never came back so late',
    {
      wait: user(
        0,
        Array.from({ length: 20 }, () => 600 * minute),
      ),
      held: 300_000,
    },
    'it would not pay',
  ],
  [
    'a user who often comes back so late',
    {
      wait: user(
        0,
        Array.from({ length: 20 }, () => 7 * minute),
      ),
      held: 20_000,
      price: priced(0.4, 5, 4),
    },
    3.5 * minute,
  ],
])('warm or not: %s', (_name, more, expected) => {
  const plan = planWarming({ ...usual, ...more });
  expect(plan.kind === 'warm' ? plan.afterMs : plan.reason).toBe(expected);
});

test('a pause that is over before the cache expires needs no refresh, and one that goes on past it gains nothing', () => {
  const span = { from: 4 * minute, sent: 3.5 * minute, until: 8.5 * minute };
  const chance = (...earlier: readonly number[]) => chanceOfReturn(user(0, earlier), span);
  expect(chance()).toBeCloseTo(0.15);
  expect(chance(2 * minute)).toBeCloseTo(0.15);
  expect(chance(3.8 * minute)).toBeCloseTo(0.75 / 6);
  expect(chance(5 * minute)).toBeCloseTo(1.75 / 6);
  expect(chance(90 * minute)).toBeCloseTo(0.75 / 6);
});

test('pauses are counted from the end of a turn to the next one', () => {
  const end: SessionEvent = { kind: 'turn.finished', turnId: turn.turnId, outcome: 'done' };
  const events = log(created, turn, message('Go'), end, turn, message('More'), end);
  const later = events.map((logged, i) => (i >= 4 ? { ...logged, at: logged.at + 5_000 } : logged));
  expect(pausesOf(later)).toEqual([5_001]);
});

test('whatever the figures: no more than three, never without a price, and only where the expected saving exceeds the cost', () => {
  const share = fc.double({ min: 0, max: 2, noNaN: true });
  const warmth = fc.record({
    held: fc.nat(1_000_000),
    price: fc.option(fc.tuple(share, share).map(([read, write]) => priced(4 * read, 4 * write))),
    cacheMs: fc.integer({ min: minute, max: 60 * minute }),
    unusedMs: fc.nat(60 * minute),
    sent: fc.nat(5),
    wait: fc.oneof(
      fc.constant({ for: 'tool' as const }),
      fc
        .tuple(fc.nat(60 * minute), fc.array(fc.nat(120 * minute), { maxLength: 8 }))
        .map(([idle, earlier]) => user(idle, earlier)),
    ),
  });
  fc.assert(
    fc.property(warmth, (facts) => {
      const plan = planWarming(facts);
      if (plan.kind === 'stop') return;
      expect(facts.sent).toBeLessThan(3);
      expect(facts.price).not.toBeNull();
      expect(plan.chance * plan.savesPico).toBeGreaterThan(plan.costPico);
      expect(plan.afterMs).toBeLessThanOrEqual(Math.max(0, facts.cacheMs - facts.unusedMs));
    }),
  );
});
