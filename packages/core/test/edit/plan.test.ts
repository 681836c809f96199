import { expect, test } from '@jest/globals';
import { explainRefusal } from '@zerd/core/edit/explain';
import { nearestRegion } from '@zerd/core/edit/nearest';
import { applyEdits, type EditWish, planEdit } from '@zerd/core/edit/plan';
import { toLf } from '@zerd/core/text/lines';
import fc from 'fast-check';

/** The text after the edit, or the words of the refusal. */
function edit(text: string, wish: EditWish): string {
  const plan = planEdit(text, wish);
  return plan.kind === 'planned' ? applyEdits(text, plan.edits) : explainRefusal('f', plan);
}

test.each<[string, string, EditWish, string]>([
  ['one word', 'a b c\n', { old: 'b', new: 'x' }, 'a x c\n'],
  ['a deletion', 'a\nb\nc\n', { old: 'b\n', new: '' }, 'a\nc\n'],
  ['no final newline', 'a\nb', { old: 'b', new: 'c' }, 'a\nc'],
  ['every match', 'a b a', { old: 'a', new: 'aa', all: true }, 'aa b aa'],
  [
    'P038 one word among mixed endings and returns that are data',
    'a\r\nb\nc\rd word\r\ne\r\r\nf',
    { old: 'word', new: 'term' },
    'a\r\nb\nc\rd term\r\ne\r\r\nf',
  ],
  [
    'P038 lines that stay keep their own endings',
    'a\r\nb\nc\r\nd\n',
    { old: 'a\nb\nc\nd\n', new: 'a\nB\nc\nd\n' },
    'a\r\nB\nc\r\nd\n',
  ],
  [
    'P038 as many new lines as old ones take their endings',
    'a\r\nb\nc\r\n',
    { old: 'a\nb\nc\n', new: 'A\nB\nC\n' },
    'A\r\nB\nC\r\n',
  ],
  ['P040 a match of LF in a file of CRLF', 'a\r\nb\r\nc\r\n', { old: 'a\nb', new: 'a\nx' }, 'a\r\nx\r\nc\r\n'],
  [
    'P040 inserted lines follow the majority CRLF',
    'a\r\nb\r\nc\n',
    { old: 'c\n', new: 'c\nd\ne\n' },
    'a\r\nb\r\nc\nd\r\ne\r\n',
  ],
  [
    'P040 inserted lines follow the majority LF',
    'a\nb\nc\r\n',
    { old: 'a\n', new: 'x\r\ny\r\na\n' },
    'x\ny\na\nb\nc\r\n',
  ],
  ['P040 a match that begins with a line ending', 'a\r\nb\r\n', { old: '\nb', new: '\nx\nb' }, 'a\r\nx\r\nb\r\n'],
  [
    'an equal line keeps its ending though lines were added',
    'a\nb\r\nc\nd\n',
    { old: 'a\nb\nc', new: '1\n2\nb\n3' },
    '1\n2\nb\r\n3\nd\n',
  ],
  ['a file of one line takes the endings as given', 'a', { old: 'a', new: 'a\r\nb' }, 'a\r\nb'],
  ['CRLF in `old` means CRLF where it is there', 'a\nb a\r\nb', { old: 'a\r\nb', new: 'x' }, 'a\nb x'],
  ['CRLF in `old` finds LF where only that is there', 'a\nb', { old: 'a\r\nb', new: 'x\r\ny' }, 'x\ny'],
  ['only the endings change, when asked exactly so', 'a\r\nb\r\n', { old: 'a\r\nb\r\n', new: 'a\nb\n' }, 'a\nb\n'],
  [
    'a return before CRLF is data, also when shown with LF',
    'a\r\r\nb\r\n',
    { old: 'a\r\nb', new: 'c\r\nb\nd' },
    'c\r\r\nb\r\nd\r\n',
  ],
  ['dollar signs are plain text', 'a', { old: 'a', new: '$&$1' }, '$&$1'],
  ['a character beside a pair of surrogates', '😀😁', { old: '😁', new: '😂' }, '😀😂'],
])('an edit changes exactly what it should: %s', (_name, text, wish, expected) => {
  expect(edit(text, wish)).toBe(expected);
});

test.each<[string, string, EditWish, string]>([
  ['nothing would change', 'a', { old: 'a', new: 'a' }, 'f was not changed: `old` and `new` are the same.'],
  [
    'only endings that are so already',
    'a\r\nb',
    { old: 'a\nb', new: 'a\r\nb' },
    'f was not changed: `old` and `new` are the same.',
  ],
  [
    'two matches',
    'a\nb\na\n',
    { old: 'a', new: 'x' },
    'f was not changed: `old` matches 2 times (lines 1, 3). Add lines around it until it matches once, or use `all`.',
  ],
  [
    'P036 overlapping matches count',
    'x\nsame\nsame\nsame\n',
    { old: 'same\nsame\n', new: 'one\n' },
    'f was not changed: `old` matches 2 times (lines 2, 3). Add lines around it until it matches once, or use `all`.',
  ],
  [
    'P036 overlapping matches are not replaced in turn',
    'same\r\nsame\r\nsame\r\n',
    { old: 'same\nsame\n', new: 'one\n', all: true },
    'f was not changed: the 2 matches of `old` overlap (lines 1, 2), so it is not clear what to replace. Edit the places one by one with more lines around them.',
  ],
  [
    'many matches name the first ten',
    'a\n'.repeat(12),
    { old: 'a', new: 'x' },
    'f was not changed: `old` matches 12 times (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and more). Add lines around it until it matches once, or use `all`.',
  ],
  [
    'nothing like it',
    'a\nb\n',
    { old: 'something else', new: '' },
    'f was not changed: `old` is not in it. Nothing like it is there; read the file again.',
  ],
  [
    'P034 the text from before another edit: the present lines are shown',
    'one\nfunction total(items) {\n  return items.length;\n}\ntwo\n',
    { old: 'function total(list) {\n  return list.length;\n}', new: '' },
    'f was not changed: `old` is not in it. The nearest lines as they are now, 2-4:\n2\tfunction total(items) {\n3\t  return items.length;\n4\t}',
  ],
  [
    'white space is not guessed',
    'a\n\tif (x) {\n\t\ty();\n',
    { old: '  if (x) {\n    y();', new: '' },
    'f was not changed: `old` is not in it. The nearest lines as they are now, 2-3 (only white space differs):\n2\t\tif (x) {\n3\t\t\ty();',
  ],
])('an edit is refused with the present state: %s', (_name, text, wish, expected) => {
  expect(edit(text, wish)).toBe(expected);
});

const lines = fc.array(
  fc.tuple(fc.constantFrom('a', 'b', 'é', '', 'x\ry', '😀'), fc.constantFrom('\n', '\r\n', '\r')),
  { maxLength: 12 },
);
const mixed = lines.map((parts) => parts.map((part) => part.join('')).join(''));

test('P034 P036 an edit lands only where `old` is, exactly once; all else stays, endings included', () => {
  fc.assert(
    fc.property(mixed, mixed, mixed, mixed, (before, after, extra, next) => {
      const old = `<${toLf(extra)}>`;
      const text = `${before}<${extra}>${after}`;
      const result = edit(text, { old, new: next });
      if (old === next) return;
      expect(result.startsWith(before)).toBe(true);
      expect(result.endsWith(after)).toBe(true);
      const middle = result.slice(before.length, result.length - after.length);
      expect(middle.replace(/\r+\n/g, '\n')).toBe(next.replace(/\r+\n/g, '\n'));
    }),
  );
});

test('P036 an edit that matches never or more than once plans nothing', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r\n'), maxLength: 12 });
  fc.assert(
    fc.property(text, fc.string({ unit: fc.constantFrom('a', 'b', '\n'), minLength: 1, maxLength: 3 }), (file, old) => {
      const starts = [...toLf(file)].filter((_, i) => toLf(file).startsWith(old, i)).length;
      expect(planEdit(file, { old, new: 'Z' }).kind === 'planned').toBe(starts === 1);
    }),
  );
});

test('P034 the lines shown are lines of the file, and few', () => {
  const big = Array.from({ length: 30_000 }, (_, i) => `  line ${i} of something ${'long '.repeat(i % 90)}`);
  const region = nearestRegion(big.join('\n'), big.slice(15_000, 15_400).join('\n').replace('15003', 'x'));
  expect(region?.firstLine).toBe(15_001);
  expect(region?.lines.join('\n').length).toBeLessThanOrEqual(2_000);
  region?.lines.forEach((line, i) => {
    expect(big[15_000 + i]?.startsWith(line)).toBe(true);
  });
});
