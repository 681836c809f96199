import { expect, test } from '@jest/globals';
import { countLines, detectEol, lineAt, splitLines, toLf } from '@zerd/core/text/lines';
import { clipUtf8, clipUtf8End, isWellFormed, utf8Length, wellFormed } from '@zerd/core/text/utf8';
import fc from 'fast-check';

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('a', 'é', '漢', '😀', '\r', '\n') }),
);
const anyUnits = fc.array(fc.constantFrom('a', '\ud83d', '\ude00', '漢')).map((units) => units.join(''));

test('the length is that of the encoded bytes, for every text', () => {
  fc.assert(fc.property(fc.oneof(anyText, anyUnits), (text) => utf8Length(text) === Buffer.byteLength(text)));
});

test('only lone surrogates are replaced', () => {
  expect(wellFormed('a\ud83db😀\ude00')).toBe('a\uFFFDb😀\uFFFD');
  fc.assert(
    fc.property(anyUnits, (text) => {
      expect(wellFormed(text)).toBe(Buffer.from(text).toString());
      expect(isWellFormed(text)).toBe(wellFormed(text) === text);
    }),
  );
});

test('P048 a cut never falls inside a character, and cuts no more than it must', () => {
  fc.assert(
    fc.property(anyText.map(wellFormed), fc.nat(40), (text, max) => {
      const head = clipUtf8(text, max);
      const tail = clipUtf8End(text, max);
      expect([text.startsWith(head), text.endsWith(tail)]).toEqual([true, true]);
      for (const part of [head, tail]) {
        expect(isWellFormed(part)).toBe(true);
        expect(utf8Length(part)).toBeLessThanOrEqual(max);
      }
      const characters = [...text];
      const more = [head + (characters[[...head].length] ?? ''), (characters.at(-[...tail].length - 1) ?? '') + tail];
      for (const part of more) expect(part === head || part === tail || utf8Length(part) > max).toBe(true);
    }),
  );
});

test('lines joined are the text again and are counted right', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(splitLines(text).join('')).toBe(text);
      expect(countLines(text)).toBe(splitLines(text).length);
    }),
  );
});

test('a carriage return alone is data and never a line ending', () => {
  expect(splitLines('a\rb\r\nc\n\nd')).toEqual(['a\rb\r\n', 'c\n', '\n', 'd']);
  expect(toLf('a\rb\r\nc\r\r\n')).toBe('a\rb\nc\r\n');
});

test('the majority of the endings is told, LF on a tie', () => {
  expect(detectEol('no end')).toEqual({ lf: 0, crlf: 0, majority: undefined });
  expect(detectEol('a\r\nb\n')).toEqual({ lf: 1, crlf: 1, majority: '\n' });
  expect(detectEol('a\r\nb\nc\r\n\r')).toEqual({ lf: 1, crlf: 2, majority: '\r\n' });
});

test('a line number counts the endings before', () => {
  expect([0, 1, 2, 4].map((offset) => lineAt('a\nbc\nd', offset))).toEqual([1, 1, 2, 2]);
});
