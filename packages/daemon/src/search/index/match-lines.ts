/**
 * Finds the lines of a piece of text that match, as ripgrep would. Invariant: lines come in order, each once; a line that
 * JavaScript cannot judge as ripgrep would ends the search with 'undecided'.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import type { LineMatcher } from '@zerd/core/search/plan-search';
import { longLine } from './rows.ts';

/** A line's bytes without its newline, and where in it the first match begins. */
export type OnLine = (from: number, to: number, matchAt: number) => void;

export type Scan = (bytes: Buffer, onLine: OnLine) => Verdict;

export type Verdict = 'done' | 'undecided';

/** Whether whole pieces go through a matcher that backtracks: then no line of theirs may be long. */
export function needsShortLines({ backtracks, inner }: LineMatcher): boolean {
  return backtracks && !isWorthwhile(inner);
}

const newline = 0x0a;
/** Shorter texts are too common: matching them line by line costs more than it saves. */
const worthwhile = 3;

export function createScan(matcher: LineMatcher): Scan {
  const { inner } = matcher;
  const match = createLineMatch(matcher);
  const matchAscii = createAsciiScan(matcher, match);
  if (inner === undefined || inner.fold || !isWorthwhile(inner)) {
    return (bytes, onLine) => scanRuns(bytes, matchAscii, match, onLine);
  }
  const needle = Buffer.from(inner.text);
  return (bytes, onLine) => scanFor(needle, inner.whole, bytes, match, onLine);
}

function isWorthwhile(inner: LineMatcher['inner']): boolean {
  return inner !== undefined && (inner.text.length >= worthwhile || (inner.whole && !inner.fold));
}

/** Where a line matches; -1: nowhere; undefined: undecided. */
type LineMatch = (line: Buffer) => number | undefined;

function createLineMatch({ ascii, unicode, tables, backtracks }: LineMatcher): LineMatch {
  const forAscii = ascii === undefined ? undefined : new RegExp(ascii.source, ascii.flags);
  const forAny = new RegExp(unicode.source, unicode.flags);
  return (line) => {
    if (backtracks && line.length > longLine) return undefined;
    if (isAscii(line)) return firstIndex(forAscii ?? forAny, line.toString('latin1'));
    if (!isUtf8(line)) return undefined;
    const text = line.toString('utf8');
    // A character that Node does not know yet may be a letter for ripgrep.
    if (tables && /\p{Cn}/u.test(text)) return undefined;
    const index = firstIndex(forAny, text);
    return index <= 0 ? index : Buffer.byteLength(text.slice(0, index));
  };
}

function firstIndex(regex: RegExp, text: string): number {
  regex.lastIndex = 0;
  return regex.exec(text)?.index ?? -1;
}

/** Goes from one place of the needle to the next and judges only their lines. */
function scanFor(needle: Buffer, whole: boolean, bytes: Buffer, match: LineMatch, onLine: OnLine): Verdict {
  for (let at = bytes.indexOf(needle); at >= 0; ) {
    const from = bytes.lastIndexOf(newline, at) + 1;
    const to = endOfLine(bytes, at);
    const matchAt = whole ? at - from : match(bytes.subarray(from, to));
    if (matchAt === undefined) return 'undecided';
    if (matchAt >= 0) onLine(from, to, matchAt);
    at = to + 1 < bytes.length ? bytes.indexOf(needle, to + 1) : -1;
  }
  return 'done';
}

type AsciiScan = (text: string, offset: number, onLine: OnLine) => Verdict;

/** Splits a piece into runs of ASCII lines, judged together, and single lines with other characters. */
function scanRuns(bytes: Buffer, ascii: AsciiScan, match: LineMatch, onLine: OnLine): Verdict {
  if (isAscii(bytes)) return ascii(bytes.toString('latin1'), 0, onLine);
  const text = bytes.toString('latin1');
  const other = /[\x80-\xff]/g;
  for (let at = 0; at < bytes.length; ) {
    other.lastIndex = at;
    const found = other.exec(text)?.index ?? bytes.length;
    const from = found === bytes.length ? bytes.length : bytes.lastIndexOf(newline, found) + 1;
    if (from > at && ascii(text.slice(at, from), at, onLine) === 'undecided') return 'undecided';
    if (found === bytes.length) return 'done';
    const to = endOfLine(bytes, found);
    const matchAt = match(bytes.subarray(from, to));
    if (matchAt === undefined) return 'undecided';
    if (matchAt >= 0) onLine(from, to, matchAt);
    at = to + 1;
  }
  return 'done';
}

function createAsciiScan({ ascii, unicode, inner }: LineMatcher, match: LineMatch): AsciiScan {
  const { source, flags } = ascii ?? unicode;
  const regex = new RegExp(source, flags);
  if (ascii !== undefined && inner?.fold === true && isWorthwhile(inner)) {
    return (text, offset, onLine) => scanFolded(text, inner.text, inner.whole, match, offset, onLine);
  }
  return (text, offset, onLine) => {
    regex.lastIndex = 0;
    for (let found = regex.exec(text); found !== null; found = regex.exec(text)) {
      const from = startOfLine(text, found.index);
      // Behind the last newline there is no line.
      if (from === text.length) return 'done';
      const end = text.indexOf('\n', found.index);
      const to = end < 0 ? text.length : end;
      onLine(offset + from, offset + to, found.index - from);
      if (to + 1 >= text.length) return 'done';
      regex.lastIndex = to + 1;
    }
    return 'done';
  };
}

function scanFolded(
  text: string,
  needle: string,
  whole: boolean,
  match: LineMatch,
  offset: number,
  onLine: OnLine,
): Verdict {
  const small = text.toLowerCase();
  for (let at = small.indexOf(needle); at >= 0; ) {
    const from = startOfLine(small, at);
    const end = small.indexOf('\n', at);
    const to = end < 0 ? text.length : end;
    const matchAt = whole ? at - from : match(Buffer.from(text.slice(from, to), 'latin1'));
    if (matchAt === undefined) return 'undecided';
    if (matchAt >= 0) onLine(offset + from, offset + to, matchAt);
    at = small.indexOf(needle, to + 1);
  }
  return 'done';
}

function startOfLine(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}

export function endOfLine(bytes: Buffer, at: number): number {
  const end = bytes.indexOf(newline, at);
  return end < 0 ? bytes.length : end;
}
