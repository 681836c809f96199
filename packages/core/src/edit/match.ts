/**
 * Finds a text in a file with LF and CRLF taken as equal. Invariant: the offsets it gives are those of the file as it
 * is; a match begins before, and ends behind, a whole line ending.
 */
import { toLf } from '../text/lines.ts';

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A text with LF only, and the way back to the offsets of the text that it was made from. */
export interface LfView {
  readonly text: string;
  /** The offset in the original of the boundary before the character at `offset`. */
  original(offset: number): number;
}

export function lfView(original: string): LfView {
  const text = toLf(original);
  const removed = removedReturns(original);
  return { text, original: (offset) => offset + countBelow(removed, offset) };
}

/** Every match, overlapping ones too, in order, up to `max` of them. */
export function matchesOf(text: string, part: string, max: number): Span[] {
  const spans: Span[] = [];
  for (let at = text.indexOf(part); at >= 0 && spans.length < max; at = text.indexOf(part, at + 1)) {
    spans.push({ start: at, end: at + part.length });
  }
  return spans;
}

export function overlap(spans: readonly Span[]): boolean {
  return spans.some((span, i) => span.start < (spans[i - 1]?.end ?? 0));
}

/** Where, in the LF text, a line ending lost its carriage return; ascending. */
function removedReturns(original: string): number[] {
  const removed: number[] = [];
  for (let at = original.indexOf('\r\n'); at >= 0; at = original.indexOf('\r\n', at + 2)) {
    removed.push(at - removed.length);
  }
  return removed;
}

function countBelow(ascending: readonly number[], limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
