import { expect, test } from '@jest/globals';
import { changedBlocks } from '@zerd/core/text/line-diff';
import fc from 'fast-check';

const lines = (text: string) => (text === '' ? [] : text.split(' '));

test.each([
  ['', '', []],
  ['a b', 'a b', []],
  ['', 'a', [[0, 0, 0, 1]]],
  ['a b', '', [[0, 2, 0, 0]]],
  ['a b c d', 'a x c d', [[1, 2, 1, 2]]],
  [
    'a b c d e',
    'a x b c e f',
    [
      [1, 1, 1, 2],
      [3, 4, 4, 4],
      [5, 5, 5, 6],
    ],
  ],
])('%j to %j changes the blocks %j', (old, now, expected) => {
  const blocks = changedBlocks(lines(old), lines(now)) ?? [];
  expect(blocks.map(({ from, to, nowFrom, nowTo }) => [from, to, nowFrom, nowTo])).toEqual(expected);
});

const few = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 });

test('the blocks turn the old lines into the new ones, are in order and apart, and are as few lines as can be', () => {
  fc.assert(
    fc.property(few, few, (old, now) => {
      const blocks = changedBlocks(old, now) ?? [];
      const made: string[] = [];
      let at = 0;
      for (const { from, to, nowFrom, nowTo } of blocks) {
        expect(from > at || at === 0).toBe(true);
        expect(to - from + nowTo - nowFrom).toBeGreaterThan(0);
        made.push(...old.slice(at, from));
        expect(made.length).toBe(nowFrom);
        made.push(...now.slice(nowFrom, nowTo));
        at = to;
      }
      expect([...made, ...old.slice(at)]).toEqual(now);
      const size = blocks.reduce((sum, { from, to, nowFrom, nowTo }) => sum + to - from + nowTo - nowFrom, 0);
      expect(size).toBe(old.length + now.length - 2 * commonLength(old, now));
    }),
  );
});

test('what differs in more lines than are worth comparing has no answer', () => {
  const numbered = (word: string) => Array.from({ length: 1_000 }, (_, i) => `${word}${i}`);
  expect(changedBlocks(numbered('a'), numbered('b'))).toBeUndefined();
});

function commonLength(a: readonly string[], b: readonly string[]): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const line of a) {
    const next = [0];
    for (const [j, other] of b.entries())
      next.push(line === other ? (row[j] ?? 0) + 1 : Math.max(row[j + 1] ?? 0, next[j] ?? 0));
    row = next;
  }
  return row.at(-1) ?? 0;
}
