import { expect, test } from '@jest/globals';
import { stackSteps } from '../../src/page/stack.ts';

test('each request is as wide as the next, and its layers stand upon each other, the uppermost first', () => {
  expect(
    stackSteps(
      [
        [1, 2],
        [3, 4],
      ],
      2,
    ),
  ).toEqual([
    [0.5, 1.5, 1.5, 2.5],
    [3, 3, 7, 7],
    [1, 1, 3, 3],
  ]);
});

test('a request of which nothing is known is a gap in every layer, and one alone has a width', () => {
  expect(stackSteps([null], 2)).toEqual([
    [0.5, 1.5],
    [null, null],
    [null, null],
  ]);
  expect(stackSteps([], 1)).toEqual([[], []]);
});
