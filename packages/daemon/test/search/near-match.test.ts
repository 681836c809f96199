import { expect, test } from '@jest/globals';
import { planSearch } from '@zerd/core/search/plan-search';
import { createNearMatch } from '@zerd/daemon/search/index/near-match';
import fc from 'fast-check';

function nearMatch(pattern: string, wholeWord = false) {
  const matcher = planSearch({ pattern, wholeWord })?.matcher;
  return matcher && createNearMatch(matcher);
}

/** As the whole line says it: where the first match begins, in bytes. */
function wholeLine(pattern: string, line: string, wholeWord: boolean): number {
  const { unicode } = planSearch({ pattern, wholeWord })?.matcher ?? {};
  const found = unicode && new RegExp(unicode.source, unicode.flags).exec(line);
  return found ? Buffer.byteLength(line.slice(0, found.index)) : -1;
}

const patterns = [
  'needle\\w*\\s*\\(',
  'needle(?:[a-z]+|\\d*)=? ?7',
  'needle\\w+ ?=',
  'needle[^"]*"x',
  'needle\\s*\\(',
  'needle.?(?:a|bc){0,3}',
  'needlé\\d+',
  'needle\\b',
];
const tokens = [
  'needle',
  'needlé',
  'needlex',
  ' ',
  '=',
  ' =',
  '"x',
  '(',
  'a',
  'bc',
  '7',
  'é',
  '\u{1f600}',
  '_',
  'x'.repeat(400),
];

test('what is near says of a long line what all of it says, or nothing', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...patterns),
      fc.boolean(),
      fc.array(fc.constantFrom(...tokens), { maxLength: 30 }),
      fc.array(fc.constantFrom(...tokens), { maxLength: 30 }),
      (pattern, wholeWord, before, after) => {
        const line = `${before.join('')}${' '.repeat(3_000)}${after.join('')}`;
        const found = nearMatch(pattern, wholeWord)?.(Buffer.from(line));
        fc.pre(found !== 'far');
        expect(found).toBe(wholeLine(pattern, line, wholeWord));
      },
    ),
  );
});

const filler = ', "key": [1, 2, 3]'.repeat(1_000);

test('a text that stands in a long line often is judged without the rest of it', () => {
  const line = Buffer.from(`${filler}permit them${filler}permission =${filler}`);
  expect(nearMatch('permi\\w+ ?=')?.(line)).toBe(line.indexOf('permission'));
  expect(nearMatch('permi\\w+ ?\\(')?.(line)).toBe(-1);
});

test('where a repetition goes on behind what is near, or may, nothing is said', () => {
  expect(nearMatch('permi\\w+ ?=')?.(Buffer.from(`permi${'x'.repeat(5_000)} =`))).toBe('far');
  expect(nearMatch('permi\\w+ ?=')?.(Buffer.from(`permi${'x'.repeat(1_015)} =${filler}`))).toBe('far');
  expect(nearMatch('permi.*=')).toBeUndefined();
});

test('broken characters near a text are left to ripgrep, those far from it are not looked at', () => {
  const broken = Buffer.from([0xe9]);
  const near = nearMatch('permi\\w+ ?=');
  expect(near?.(Buffer.concat([Buffer.from('permi'), broken, Buffer.from(filler)]))).toBeUndefined();
  expect(near?.(Buffer.concat([Buffer.from('permit ='), Buffer.from(filler), broken]))).toBe(0);
});
