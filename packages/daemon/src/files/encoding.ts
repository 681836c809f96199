/**
 * Tells how a file's bytes are text, and turns them into text and back. Invariant: for every encoding it names, bytes
 * -> text -> bytes is the identity; what it does not know is never guessed when something is written.
 */
import { isUtf8 } from 'node:buffer';
import { wellFormed } from '@zerd/core/text/utf8';

/** `unknown`: 8-bit text that is not UTF-8 (Latin-1, GB18030, or UTF-8 with a broken byte). */
export type Encoding = 'utf-8' | 'utf-8-bom' | 'utf-16le' | 'utf-16be' | 'unknown';

/** `binary`: holds a NUL character, or is no whole UTF-16. */
export function detectEncoding(bytes: Buffer): Encoding | 'binary' {
  const wide =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? 'utf-16le'
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? 'utf-16be'
        : undefined;
  if (wide) return bytes.length % 2 === 0 && !decode(bytes, wide).includes('\0') ? wide : 'binary';
  if (bytes.includes(0)) return 'binary';
  if (!isUtf8(bytes)) return 'unknown';
  return hasMark(bytes) ? 'utf-8-bom' : 'utf-8';
}

/**
 * The text to edit, without its mark. Of `unknown` bytes every one becomes one character (U+0000 to U+00FF), so that
 * none is lost; `spell` writes a text of the model in the same way.
 */
export function decode(bytes: Buffer, encoding: Encoding): string {
  switch (encoding) {
    case 'utf-8':
      return bytes.toString('utf8');
    case 'utf-8-bom':
      return bytes.subarray(3).toString('utf8');
    case 'utf-16le':
      return bytes.subarray(2).toString('utf16le');
    case 'utf-16be':
      return swapped(bytes.subarray(2)).toString('utf16le');
    case 'unknown':
      return bytes.toString('latin1');
  }
}

/** The bytes of a text that `decode` gave, edited or not, with the mark. */
export function encode(text: string, encoding: Encoding): Buffer {
  switch (encoding) {
    case 'utf-8':
      return Buffer.from(text, 'utf8');
    case 'utf-8-bom':
      return Buffer.from(`\uFEFF${text}`, 'utf8');
    case 'utf-16le':
      return Buffer.from(`\uFEFF${text}`, 'utf16le');
    case 'utf-16be':
      return swapped(Buffer.from(`\uFEFF${text}`, 'utf16le'));
    case 'unknown':
      return Buffer.from(text, 'latin1');
  }
}

/** A text of the model as it would stand in a decoded file. */
export function spell(text: string, encoding: Encoding): string {
  return encoding === 'unknown' ? Buffer.from(text, 'utf8').toString('latin1') : text;
}

/** A decoded text for the model's eyes; what cannot be shown is U+FFFD. */
export function show(text: string, encoding: Encoding): string {
  return encoding === 'unknown' ? showUnknown(text) : wellFormed(text);
}

export function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}

/** Mostly UTF-8 is shown as that; anything else byte for byte as Latin-1. */
function showUnknown(text: string): string {
  const lossy = Buffer.from(text, 'latin1').toString('utf8');
  const broken = lossy.match(/\uFFFD/g)?.length ?? 0;
  const whole = lossy.match(/[^\0-\x7f\uFFFD]/gu)?.length ?? 0;
  return whole > broken ? lossy : text;
}

function hasMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

function swapped(bytes: Buffer): Buffer {
  return Buffer.from(bytes).swap16();
}
