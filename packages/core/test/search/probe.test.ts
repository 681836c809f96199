import { describe, expect, test } from '@jest/globals';
import { probeOf } from '@zerd/core/search/probe';
import fc from 'fast-check';

describe('the part of a text that is looked for', () => {
  test.each([
    ['override', 'verrid'],
    ['_needMerge', 'Merge'],
    ['throwError', 'wError'],
    ['oneOfType', 'OfType'],
    ['specific', 'fic'],
    ['aé', 'aé'],
    ['préfixe', 'éfixe'],
    ['if', 'if'],
    [';', ';'],
    ['', ''],
  ])('of %j it is %j', (text, expected) => {
    const bytes = Buffer.from(text);
    const { from, to } = probeOf(bytes);
    expect(bytes.toString('utf8', from, to)).toBe(expected);
  });
});

test('the part lies in the text and is no shorter than it has to be', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (text) => {
      const { from, to } = probeOf(text);
      expect([from >= 0, to <= text.length, to - from >= Math.min(3, text.length), to - from <= 6]).toEqual([
        true,
        true,
        true,
        true,
      ]);
    }),
  );
});
