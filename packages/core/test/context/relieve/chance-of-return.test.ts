import { expect, test } from '@jest/globals';
import { chancesOfReturn } from '../../../src/context/relieve/chance-of-return.ts';
import { planRelief } from '../../../src/context/relieve/plan-relief.ts';
import type { CallFacts } from '../../../src/context/relieve/protect.ts';
import { model, times, viewOf } from './views.ts';

const call = (request: number, use: CallFacts['use'], file?: string, failed = false): CallFacts => ({
  request,
  file,
  use,
  failed,
  again: false,
});

function check(calls: readonly CallFacts[], answered: number, expected: readonly number[]): void {
  expect(chancesOfReturn(calls, answered, 6)).toEqual(expected);
}

test('a session that has shown nothing is taken for one of ten; what is no text of a file has no chance', () => {
  check([call(0, 'read', 'a'), call(1, 'run'), call(2, 'edit', 'b')], 4, [0.1, 0, 0]);
});

test('an old text that nothing came back to lowers the chance, one that was needed again raises it', () => {
  check([call(0, 'read', 'a')], 7, [1 / 11]);
  check([call(0, 'read', 'a'), call(7, 'read', 'a')], 8, [0, 2 / 11]);
  check([call(0, 'read', 'a'), call(7, 'edit', 'a'), call(8, 'read', 'b')], 9, [0, 0, 2 / 11]);
});

test('what came within the window, or failed, says nothing', () => {
  check([call(0, 'read', 'a'), call(6, 'read', 'a')], 7, [0, 0.1]);
  check([call(0, 'read', 'a'), call(9, 'edit', 'a', true)], 6, [0.1, 0]);
});

test('what is likely asked for again adds its price: a trim waits until it has paid for that as well', () => {
  const story = (returns: number) => [...times(3, { call: { result: 10_000, returns } }), ...times(6, 300)];
  const figures = (returns: number) => planRelief(viewOf(story(returns), { cutsPart: false })).figures;
  expect(planRelief(viewOf(story(0)))).toMatchObject({ kind: 'trim' });
  expect(planRelief(viewOf(story(0.2)))).toMatchObject({
    kind: 'keep',
    reason: 'clearing costs more than it has paid',
  });
  expect(figures(0.2).price - figures(0).price).toBeCloseTo(1.25 * 0.2 * 3 * 9_900);
});

test('after a cold moment, and without a cache, it adds nothing: the text is written in any case', () => {
  const story = [...times(3, { call: { result: 10_000, returns: 1 } }), ...times(4, 300)];
  expect(planRelief(viewOf(story, { read: 0 }))).toMatchObject({ kind: 'trim', reason: 'the cache is cold' });
  const none = { ...model, read: 1, write: 1, cache: { kind: 'none' } } as const;
  expect(planRelief(viewOf(story, { model: none, read: 0 })).kind).toBe('trim');
});
