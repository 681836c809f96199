import { expect, test } from '@jest/globals';
import { safeJson, sanitise, sanitiseLine, sanitiseOutput } from '@zerd/protocol/common/sanitise';
import fc from 'fast-check';
import { paint } from '../../src/present/paint.ts';

const steering = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\ud800-\udfff]/u;
const tags = /[\u{e0000}-\u{e007f}]/u;
// Mostly dangerous characters, lone surrogates and pieces of sequences, in any order: also what is split anywhere.
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\x1b',
        '\x9b',
        '\x07',
        ']52;c;',
        '[2J',
        '\r',
        '\n',
        '\t',
        '\u202e',
        '\u{e0041}',
        '\u{1f3f4}',
        '\ud83c',
        '\udff4',
        'a',
      ),
      fc.string({ unit: 'binary', maxLength: 3 }),
    ),
  )
  .map((parts) => parts.join(''));

test('S-60 S-63 no control, bidi or tag character comes out of any text', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(sanitise(text)).not.toMatch(steering);
      expect(sanitise(text)).not.toMatch(tags);
      expect(sanitiseLine(text)).not.toMatch(/[\n\t]/);
      expect(sanitiseLine(text)).not.toMatch(steering);
      expect(sanitiseOutput(text)).not.toMatch(steering);
    }),
  );
});

test.each([
  ['\x1b[1;32m✓\x1b[0m passed', '✓ passed'],
  ['\x1b]0;a title\x07done\x1b]8;;http://x\x1b\\', 'done'],
  ['10 %\r50 %\r100 %\nnext\r\n', '100 %\nnext\n'],
  ['\x1b[2', '\\x1b[2'],
])('of what a command writes, %j is read as %j', (written, read) => {
  expect(sanitiseOutput(written)).toBe(read);
});

test('S-60 text that is safe once is left alone the second time', () => {
  fc.assert(fc.property(hostile, (text) => expect(sanitise(sanitise(text))).toBe(sanitise(text))));
});

test('S-60 a painted line holds our own colours and no other escape', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const painted = paint({ tone: 'bad', text }, true).replace(/^\x1b\[31m|\x1b\[0m(?=\n$)/g, '');
      expect(painted.slice(0, -1)).not.toMatch(/[\n\x1b\x80-\x9f]/);
      expect(paint({ tone: 'bad', text }, false)).not.toMatch(/\x1b/);
    }),
  );
});

test('S-63 JSON that is printed hides nothing and means the same', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(safeJson({ text })).not.toMatch(steering);
      expect(JSON.parse(safeJson({ text }))).toEqual({ text });
    }),
  );
});

const checks: readonly (readonly [name: string, input: string, expected: string])[] = [
  ['a clipboard write is shown, not done', 'a\x1b]52;c;aGk=\x07b', 'a\\x1b]52;c;aGk=\\x07b'],
  ['an eight-bit control is shown', '\x9b2J', '\\x9b2J'],
  ['newline and tab stay', 'a\n\tb', 'a\n\tb'],
  ['a carriage return cannot overwrite', 'safe\rrm', 'safe\\rrm'],
  ['an override of direction is shown', 'a\u202eb', 'a\\u{202e}b'],
  ['hidden tags are shown', '\u{e0068}\u{e0069}', '\\u{e0068}\\u{e0069}'],
  ['half a surrogate pair is shown', 'x\ud83c', 'x\\u{d83c}'],
  ['letters, accents and wide characters stay', 'é e\u0301 漢字 שלום', 'é e\u0301 漢字 שלום'],
  ['emoji keep their joiners', '👩‍👩‍👧 ❤️ 🏳️‍🌈', '👩‍👩‍👧 ❤️ 🏳️‍🌈'],
  ['flags of countries stay', '🇩🇪🇯🇵', '🇩🇪🇯🇵'],
  [
    'a flag that is spelled with tags is cut open, it could carry a message',
    '🏴\u{e0061}\u{e007f}',
    '🏴\\u{e0061}\\u{e007f}',
  ],
];

for (const [name, input, expected] of checks) test(`S-60 S-63 ${name}`, () => expect(sanitise(input)).toBe(expected));

test('S-63 the three flags that are spelled with tags stay', () => {
  const wales = '\u{1f3f4}\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}';
  expect(sanitise(`${wales}\u{e0041}`)).toBe(`${wales}\\u{e0041}`);
});

test('S-47 a command is shown to its end, however much white space hides it', () => {
  const command = `ls${' '.repeat(500)}${'\n'.repeat(300)}; rm -rf ~`;
  expect(sanitiseLine(command)).toBe(`ls${' '.repeat(500)}${'\\n'.repeat(300)}; rm -rf ~`);
});
