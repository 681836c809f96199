import { expect, test } from '@jest/globals';
import { plainNumber } from '../../src/common/plain-number.ts';

const rows: readonly (readonly [text: string, number: number])[] = [
  ['0', 0],
  ['3', 3],
  ['007', 7],
  ['0.50', 0.5],
  ['.5', 0.5],
  ...[
    ...['0x10', '0b11', '0o7', '1e3', '1e-9', 'NaN', 'Infinity', '1_000', '1,000', '1.000.000', '-1', '+5', '5.', '.'],
    ...['', ' ', '1 ', ' 1', '1\n', '٣', 'many'],
  ].map((text) => [text, Number.NaN] as const),
];

test('a number is what a person writes in digits, and nothing that only a programmer reads as one', () => {
  expect(rows.map(([text]) => [text, plainNumber(text)])).toEqual(rows);
});
