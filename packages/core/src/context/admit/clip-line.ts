/**
 * Decides what of an over-long line stays: its beginning and end, or the part around a match. Invariant: the result
 * takes at most `cap` bytes (never fewer than a mark needs), and says how many bytes are missing.
 */
import { clipUtf8, clipUtf8End, utf8Length } from '../../text/utf8.ts';
import { formatCount } from './format-count.ts';

/** A mark takes at most this: ' [1,234,567,890 encoded bytes left out] '. */
const markBytes = 44;

/** `text` itself when it fits. */
export function clipLine(text: string, cap: number): string {
  const bytes = sizeWithin(text, cap);
  if (bytes <= cap) return text;
  const room = Math.max(0, cap - markBytes);
  const head = clipUtf8(text, Math.floor(room * 0.7));
  const tail = clipUtf8End(text.slice(head.length), Math.floor(room * 0.3));
  const middle = text.slice(head.length, text.length - tail.length);
  return `${head} ${leftOut(utf8Length(middle), middle)} ${tail}`.trimEnd();
}

export interface Window {
  readonly text: string;
  /** UTF-16 offset of what must stay in sight. */
  readonly column: number;
  /** Bytes of the line that are missing already. */
  readonly cutBefore: number;
  readonly cutAfter: number;
}

/** The part of a line around a match. A third of the room goes before it. */
export function clipAround(window: Window, cap: number): string {
  const missing = window.cutBefore + window.cutAfter > 0;
  if (!missing && sizeWithin(window.text, cap) <= cap) return window.text;
  const room = Math.max(0, cap - 2 * markBytes);
  const [left, right] = [window.text.slice(0, window.column), window.text.slice(window.column)];
  const short = Math.max(0, Math.floor((room * 2) / 3) - sizeWithin(right, room));
  const before = clipUtf8End(left, Math.floor(room / 3) + short);
  const after = clipUtf8(right, room - utf8Length(before));
  const cutLeft = left.slice(0, left.length - before.length);
  const cutRight = right.slice(after.length);
  const marks = [
    leftOut(window.cutBefore + utf8Length(cutLeft), cutLeft),
    leftOut(window.cutAfter + utf8Length(cutRight), cutRight),
  ];
  return `${marks[0]} ${before}${after} ${marks[1]}`.trim();
}

/** Exact up to `cap`, at least `cap + 1` beyond: a giant line is not measured to its end. */
function sizeWithin(text: string, cap: number): number {
  return text.length > cap ? cap + 1 : utf8Length(text);
}

function leftOut(bytes: number, part: string): string {
  if (bytes === 0) return '';
  return `[${formatCount(bytes)} ${isEncoded(part) ? 'encoded bytes' : 'bytes'} left out]`;
}

/** Base64, hex and their like: nothing that reading more of it would explain. */
function isEncoded(part: string): boolean {
  const middle = part.slice(part.length >> 1, (part.length >> 1) + 300);
  return middle.length >= 150 && /^[A-Za-z0-9+/=_-]+$/.test(middle);
}
