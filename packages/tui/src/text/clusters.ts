/**
 * Splits text into what a terminal shows as one character, with the columns that each takes. Invariant: the columns are
 * those that the cursor moves by, so that nothing behind it is out of its place.
 */
import stringWidth from 'string-width';

export interface Cluster {
  readonly text: string;
  /** 0, 1 or 2. */
  readonly columns: number;
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const ascii = /^[\x20-\x7e]*$/;

/** Columns of text without control characters. */
export function columnsOf(text: string): number {
  if (ascii.test(text)) return text.length;
  let columns = 0;
  for (const cluster of clusters(text)) columns += cluster.columns;
  return columns;
}

export function* clusters(text: string): Iterable<Cluster> {
  if (ascii.test(text)) {
    for (const character of text) yield { text: character, columns: 1 };
    return;
  }
  for (const segment of graphemes(text)) yield known(segment);
}

const drawables = new Map<string, Cluster>();
/** More than people write with at a time. */
const mostDrawables = 8_192;

/** Looked at once: what a terminal makes of a character takes longer to find out than to split a text. */
function known(segment: string): Cluster {
  let found = drawables.get(segment);
  if (found === undefined) {
    found = drawable(segment);
    if (drawables.size >= mostDrawables) drawables.clear();
    drawables.set(segment, found);
  }
  return found;
}

/** Looked at at once: the segmenter's time for one character grows with the length of the whole text. */
const windowLength = 256;

/** What a reader takes for one character each. A cluster longer than a window is cut. */
export function* graphemes(text: string): Iterable<string> {
  if (ascii.test(text)) return yield* text;
  for (let at = 0; at < text.length; ) {
    const segments = Array.from(segmenter.segment(text.slice(at, at + windowLength)), ({ segment }) => segment);
    // The last of a window may go on behind it.
    if (at + windowLength < text.length && segments.length > 1) segments.pop();
    yield* segments;
    for (const { length } of segments) at += length;
  }
}

/**
 * A terminal that does not join code points moves its cursor by each of them, one that joins them by two columns: only
 * the first code point of such a cluster means the same to all. Accents over a letter are joined everywhere.
 */
function drawable(segment: string): Cluster {
  const flag = /^([\u{1f1e6}-\u{1f1ff}])([\u{1f1e6}-\u{1f1ff}])$/u.exec(segment);
  if (flag) return { text: letterOf(flag[1]) + letterOf(flag[2]), columns: 2 };
  const joined = /\u200d|\ufe0f|[\u{1f1e6}-\u{1f1ff}]|[\u{1f3fb}-\u{1f3ff}]/u.test(segment);
  const text = joined && segment.length > 1 ? firstOf(segment) : segment;
  return { text, columns: Math.min(2, stringWidth(text)) };
}

/** Of a flag: terminals disagree on the columns of its two halves, and letters say the same. */
function letterOf(half = ''): string {
  return String.fromCharCode((half.codePointAt(0) ?? 0) - 0x1f1e6 + 65);
}

function firstOf(segment: string): string {
  return String.fromCodePoint(segment.codePointAt(0) ?? 32);
}

/** The part that fits into `columns`, and how many of them it takes. */
export function clip(text: string, columns: number): { readonly text: string; readonly columns: number } {
  if (ascii.test(text)) {
    const kept = text.slice(0, Math.max(0, columns));
    return { text: kept, columns: kept.length };
  }
  let kept = '';
  let used = 0;
  for (const cluster of clusters(text)) {
    if (used + cluster.columns > columns) break;
    kept += cluster.text;
    used += cluster.columns;
  }
  return { text: kept, columns: used };
}
