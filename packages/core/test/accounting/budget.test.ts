import { expect, test } from '@jest/globals';
import {
  admitRequest,
  type HeldBudget,
  plusLimit,
  raisedLimit,
  reservationOf,
  type Worst,
} from '@zerd/core/accounting/budget';
import { priceFromUsd } from '@zerd/core/accounting/price';
import { worstCost, worstPrompt } from '@zerd/core/accounting/worst-cost';
import type { SpendingLimit } from '@zerd/protocol/common/cost-events';
import fc from 'fast-check';

const none = { pico: 0, tokens: 0 };
const worst = (input: number, output: number): Worst => ({
  input: { pico: input, tokens: input },
  output: { pico: output, tokens: output },
});

function budget(limit: SpendingLimit, spent = none, reserved = none): HeldBudget {
  return { scope: 'session', limit, spent, reserved };
}

test.each<[string, HeldBudget[], Worst, object]>([
  ['no budget', [], worst(9, 9), { kind: 'go' }],
  ['a budget without a limit', [budget({})], worst(9, 9), { kind: 'go' }],
  [
    'its input just fits, whatever its answer',
    [budget({ pico: 10 }, { pico: 1, tokens: 0 })],
    worst(9, 50),
    { kind: 'go' },
  ],
  [
    'its input does not fit',
    [budget({ pico: 10 }, { pico: 2, tokens: 0 })],
    worst(9, 0),
    { kind: 'reached', measure: 'pico' },
  ],
  [
    'what is under way takes the room for now',
    [budget({ pico: 10 }, none, { pico: 2, tokens: 0 })],
    worst(9, 0),
    { kind: 'wait', scope: 'session' },
  ],
  [
    'tokens have a limit of their own',
    [budget({ pico: 100, tokens: 5 })],
    worst(9, 0),
    { kind: 'reached', measure: 'tokens' },
  ],
  [
    'without a price no limit in money holds, one in tokens does',
    [budget({ pico: 0, tokens: 8 })],
    { input: { pico: null, tokens: 9 }, output: { pico: null, tokens: 1 } },
    { kind: 'reached', measure: 'tokens' },
  ],
  [
    'one that is reached goes before one that is full for now',
    [budget({ pico: 10 }, none, { pico: 9, tokens: 0 }), budget({ tokens: 1 })],
    worst(5, 0),
    { kind: 'reached', measure: 'tokens' },
  ],
])('%s', (_, budgets, asked, expected) => {
  expect(admitRequest(budgets, asked)).toMatchObject(expected);
});

test('no budget is passed by more than the output of one request, however many are under way', () => {
  const request = fc.record({
    input: fc.nat(400),
    output: fc.nat(300),
    /** What it comes to in the end, in thousandths of the worst. */
    paid: fc.nat(1_000),
    /** How many that are under way end before it asks. */
    ends: fc.nat(3),
  });
  fc.assert(
    fc.property(fc.nat(3_000), fc.array(request, { maxLength: 60 }), (limit, requests) => {
      const open: { readonly worst: Worst; readonly paid: number }[] = [];
      let spent = 0;
      let longest = 0;
      const settle = () => {
        const ended = open.shift();
        if (ended !== undefined) spent += Math.floor((reservationOf(ended.worst).pico * ended.paid) / 1_000);
      };
      for (const { input, output, paid, ends } of requests) {
        for (let i = 0; i < ends; i++) settle();
        const asked = worst(input, output);
        const reserved = open.reduce((sum, one) => sum + reservationOf(one.worst).pico, 0);
        const held = budget({ pico: limit }, { pico: spent, tokens: 0 }, { pico: reserved, tokens: 0 });
        if (admitRequest([held], asked).kind !== 'go') continue;
        open.push({ worst: asked, paid });
        longest = Math.max(longest, output);
      }
      while (open.length > 0) settle();
      expect(spent).toBeLessThanOrEqual(limit + longest);
    }),
  );
});

test('who waits is let in when what is under way has ended, or the budget is reached: nobody waits for ever', () => {
  fc.assert(
    fc.property(fc.nat(100), fc.nat(100), fc.nat(100), (limit, spent, input) => {
      expect(admitRequest([budget({ pico: limit }, { pico: spent, tokens: 0 })], worst(input, 9)).kind).not.toBe(
        'wait',
      );
    }),
  );
});

test('what is allowed besides is added to a limit that there is', () => {
  expect(raisedLimit({ pico: 5 }, { pico: 5, tokens: 7 })).toEqual({ pico: 10 });
  expect(plusLimit({}, { tokens: 2 })).toEqual({ tokens: 2 });
  expect(plusLimit({ tokens: 2 }, { pico: 1, tokens: 2 })).toEqual({ pico: 1, tokens: 4 });
});

const segment = (hash: string, bytes: number) => ({ name: hash, hash, bytes });

test('the worst prompt is what was measured and the densest text of what is new', () => {
  const before = [segment('a', 10_000), segment('b', 30_000)];
  const sending = { bytes: 42_000, segments: [...before, segment('c', 2_000)] };
  expect(worstPrompt(sending, undefined)).toBe(22_000);
  expect(worstPrompt(sending, { segments: before, tokens: 10_000 })).toBe(11_000);
  // Of images a body names no more than the ids.
  const images = { all: 3_000, fresh: 1_000 };
  expect(worstPrompt({ ...sending, images }, undefined)).toBe(25_000);
  expect(worstPrompt({ ...sending, images }, { segments: before, tokens: 10_000 })).toBe(12_000);
  // A trim: the old message is another one now.
  expect(
    worstPrompt(
      { bytes: 12_000, segments: [segment('a', 10_000), segment('b2', 2_000)] },
      { segments: before, tokens: 10_000 },
    ),
  ).toBe(7_000);
});

test('the dearest rate of input holds, that of long prompts where they are; without a price there is no sum (I11)', () => {
  const price = priceFromUsd({ input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 }, 'a list', '2026-11-29');
  const sending = { bytes: 18_000, segments: [] };
  const long = {
    ...price,
    above: { tokens: 9_000, price: priceFromUsd({ input: 2, output: 9 }, 'a list', '2026-11-29') },
  };
  expect(worstCost(sending, undefined, { maxOutput: 100, price })).toEqual({
    input: { tokens: 10_000, pico: 12_500_000_000 },
    output: { tokens: 100, pico: 500_000_000 },
  });
  expect(worstCost(sending, undefined, { maxOutput: 100, price: long })).toEqual({
    input: { tokens: 10_000, pico: 20_000_000_000 },
    output: { tokens: 100, pico: 900_000_000 },
  });
  expect(worstCost(sending, undefined, { maxOutput: 100, price: null }).input.pico).toBeNull();
});
