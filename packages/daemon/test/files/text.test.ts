import { expect, test } from '@jest/globals';
import { decode, detectEncoding, encode, isAscii, show, spell } from '@zerd/daemon/files/encoding';
import { guessType } from '@zerd/daemon/files/file-type';
import { diffTexts } from '@zerd/daemon/files/text-diff';
import { applyPatch } from 'diff';
import fc from 'fast-check';

const bytes = (...parts: readonly (string | readonly number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));

test.each<[string, Buffer, string]>([
  ['ASCII', bytes('a\r\nb'), 'utf-8'],
  ['nothing', bytes(), 'utf-8'],
  ['UTF-8', bytes('é漢😀'), 'utf-8'],
  ['UTF-8 with a mark', bytes([0xef, 0xbb, 0xbf], 'é'), 'utf-8-bom'],
  ['Latin-1', bytes('caf', [0xe9]), 'unknown'],
  ['UTF-8 with a broken byte', bytes('é漢', [0xff]), 'unknown'],
  ['GB18030', bytes([0xc4, 0xe3, 0xba, 0xc3]), 'unknown'],
  ['UTF-16LE', bytes([0xff, 0xfe, 0x61, 0x00, 0x16, 0x4e]), 'utf-16le'],
  ['UTF-16BE', bytes([0xfe, 0xff, 0x00, 0x61]), 'utf-16be'],
  ['half a character of UTF-16', bytes([0xff, 0xfe, 0x61]), 'binary'],
  ['UTF-32', bytes([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]), 'binary'],
  ['a NUL', bytes('a', [0], 'b'), 'binary'],
])('F-45 the encoding is told by the bytes: %s', (_name, input, expected) => {
  expect(detectEncoding(input)).toBe(expected);
});

test('F-45 whatever the bytes, text that was decoded encodes to the same bytes', () => {
  const part = fc.constantFrom('a', '\n', '\r\n', 'é', '漢', '😀').map((text) => Buffer.from(text));
  const raw = fc.uint8Array({ maxLength: 6 }).map((array) => Buffer.from(array));
  const mark = fc.constantFrom([], [0xef, 0xbb, 0xbf], [0xff, 0xfe], [0xfe, 0xff]).map((array) => Buffer.from(array));
  const files = fc.tuple(mark, fc.array(fc.oneof(part, raw))).map(([first, rest]) => Buffer.concat([first, ...rest]));
  fc.assert(
    fc.property(files, (file) => {
      const encoding = detectEncoding(file);
      if (encoding !== 'binary') expect(encode(decode(file, encoding), encoding)).toEqual(file);
    }),
  );
});

test('a file of unknown encoding is shown as what it most likely is, and spelt byte by byte', () => {
  expect(show(decode(bytes('caf', [0xe9]), 'unknown'), 'unknown')).toBe('café');
  expect(show(decode(bytes('漢字 and ', [0xff]), 'unknown'), 'unknown')).toBe('漢字 and \uFFFD');
  expect(spell('é', 'unknown')).toBe('\xc3\xa9');
  expect(show('half \ud83d', 'utf-16le')).toBe('half \uFFFD');
  expect([isAscii('a\n\x7f'), isAscii('é')]).toEqual([true, false]);
});

test.each<[string, Buffer, string]>([
  ['PNG', bytes([0x89], 'PNG\r\n', [0x1a]), 'a PNG image'],
  ['WebP', bytes('RIFF1234WEBPVP8 '), 'RIFF data (WEBP)'],
  ['MP4', bytes([0, 0, 0, 0x20], 'ftypisom'), 'an MP4 or HEIF file'],
  ['anything else', bytes([1, 2, 0]), 'binary data'],
])('the type of a binary file is guessed: %s', (_name, input, expected) => {
  expect(guessType(input)).toBe(expected);
});

test('a diff is a unified diff with figures', () => {
  const before = Array.from({ length: 20 }, (_, i) => `line ${i + 1}\n`).join('');
  const after = before.replace('line 10\n', 'ten\nand more\n').replace('line 20\n', 'line 20');
  expect(diffTexts('src/a.ts', before, after)).toEqual({
    diff: [
      '--- a/src/a.ts',
      '+++ b/src/a.ts',
      '@@ -7,7 +7,8 @@',
      ' line 7',
      ' line 8',
      ' line 9',
      '-line 10',
      '+ten',
      '+and more',
      ' line 11',
      ' line 12',
      ' line 13',
      '@@ -17,4 +18,4 @@',
      ' line 17',
      ' line 18',
      ' line 19',
      '-line 20',
      '+line 20',
      '\\ No newline at end of file',
      '',
    ].join('\n'),
    added: 3,
    removed: 2,
    firstLine: 10,
    lastLine: 21,
  });
});

test('a new file is told from /dev/null', () => {
  expect(diffTexts('a', undefined, 'x\ny\n')).toEqual({
    diff: '--- /dev/null\n+++ b/a\n@@ -0,0 +1,2 @@\n+x\n+y\n',
    added: 2,
    removed: 0,
    firstLine: 1,
    lastLine: 2,
  });
});

test('P038 a diff applied to the old text gives the new one, endings included', () => {
  const text = fc
    .array(fc.constantFrom('a\n', 'b\r\n', 'c\n', 'd', '\n'), { maxLength: 30 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const { diff } = diffTexts('a', before, after);
      if (before !== after) expect(applyPatch(before, diff, { autoConvertLineEndings: false })).toBe(after);
    }),
  );
});

test('a diff that takes too long or is too large is still told, within its cap', () => {
  const lines = (prefix: string) => Array.from({ length: 20_000 }, (_, i) => `${prefix} ${i}\n`).join('');
  const { diff, added, removed } = diffTexts('a', lines('one'), lines('two'));
  expect([added, removed]).toEqual([20_000, 20_000]);
  expect(diff.length).toBeLessThanOrEqual(64 * 1024);
  expect(diff).toMatch(
    /^--- a\/a\n\+\+\+ b\/a\n@@ -1,20000 \+1,20000 @@\n-one 0\n[\s\S]*\n\[the rest of the diff is left out: [\d,]+ bytes\]\n$/,
  );
});
