/** One test for a table of inputs and what is expected of each. */
import { expect, test } from '@jest/globals';

export function check<I, O>(
  name: string,
  apply: (input: I) => O,
  rows: readonly (readonly [input: I, expected: O])[],
): void {
  test(name, () => expect(rows.map(([input]) => apply(input))).toEqual(rows.map(([, expected]) => expected)));
}
