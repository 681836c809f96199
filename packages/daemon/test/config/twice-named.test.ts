import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { twiceNamed } from '../../src/config/twice-named.ts';

const rows: readonly (readonly [text: string, places: readonly string[]])[] = [
  ['{}', []],
  ['[]', []],
  ['"a"', []],
  ['{"a": "b", "b": "a"}', []],
  ['{"a": {"x": 1}, "b": {"x": 1}}', []],
  ['[{"x": 1}, {"x": 1}]', []],
  ['{"a": 1, "a": 1, "a": 1}', ['a']],
  ['{"providers": {"p": {}}, "model": "p/m", "providers": {"q": {}}}', ['providers']],
  [String.raw`{"a\"": {"\u0062": 1, "b": 2}}`, ['a".b']],
  ['{"a": [{"x": 1}, [], {"y": ["{", ","], "y": "]}"}]}', ['a.2.y']],
];

test('what is named twice in one place is found there, however it is written', () => {
  expect(rows.map(([text]) => [text, twiceNamed(text)])).toEqual(rows);
});

test('what JSON writes names nothing twice', () => {
  fc.assert(fc.property(fc.json(), (text) => void expect(twiceNamed(text)).toEqual([])));
});
