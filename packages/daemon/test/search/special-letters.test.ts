import { expect, test } from '@jest/globals';
import { nextSpecial, placeAmongSpecials, withoutSpecials } from '@zerd/daemon/search/index/special-letters';
import fc from 'fast-check';

const text = fc.array(fc.constantFrom('a', 'é', '\u017f', '\u212a', 'k', '\u{1f600}'), { maxLength: 12 });

test('a place in the text without long s and Kelvin sign is a place in the text with them', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const bytes = Buffer.from([...before, 'needle', ...after].join(''));
      const place = withoutSpecials(bytes).indexOf('needle');
      expect(placeAmongSpecials(bytes, place)).toBe(bytes.indexOf('needle'));
    }),
  );
});

test('ASCII letters stand in their place, and other characters stay', () => {
  const bytes = Buffer.from('é\u212aelvin mi\u017fs');
  expect([
    withoutSpecials(bytes).toString(),
    nextSpecial(bytes),
    nextSpecial(bytes, 3),
    nextSpecial(bytes, 13),
  ]).toEqual(['ékelvin miss', 2, 13, 13]);
});
