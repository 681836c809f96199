/**
 * Finds the lines of a piece of text that match, as ripgrep would. Invariant: lines come in order, each once; a line that
 * JavaScript cannot judge as ripgrep would ends the search with 'undecided'.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import type { InnerLiteral } from '@zerd/core/search/inner-literal';
import type { LineMatcher } from '@zerd/core/search/plan-search';
import { hasDoubtful } from '@zerd/core/search/unicode-tables';
import { createFoldedSearch } from './folded-search.ts';
import { createNearMatch } from './near-match.ts';
import { longLine } from './rows.ts';
import { nextSpecial, placeAmongSpecials, withoutSpecials } from './special-letters.ts';
import { createTextSearch, type TextSearch } from './text-search.ts';

/** A line's bytes without its newline, and where in it the first match begins. */
export type OnLine = (from: number, to: number, matchAt: number) => void;

/** `texts`: which of the matcher's texts may be there, as bits; all where it is not given. */
export type Scan = (bytes: Buffer, onLine: OnLine, texts?: number) => Verdict;

export type Verdict = 'done' | 'undecided';

/** Whether whole pieces go through a matcher that backtracks: then no line of theirs may be long. */
export function needsShortLines({ backtracks, inner }: LineMatcher): boolean {
  return backtracks && !isWorthwhile(inner);
}

const newline = 0x0a;
/** Shorter texts are too common: matching them line by line costs more than it saves. */
const worthwhile = 3;
/** Characters that a matcher may go over for one line. */
const mostSteps = 16 * 1_048_576;

export function createScan(matcher: LineMatcher): Scan {
  const { inner } = matcher;
  const match = createLineMatch(matcher);
  const matchAscii = createAsciiScan(matcher);
  const scanAll: Scan = (bytes, onLine) => scanRuns(bytes, matchAscii, match, onLine);
  if (inner === undefined || !isWorthwhile(inner)) return scanAll;
  if (inner.fold) return scanInAnyCase(inner, match);
  return scanFor(createTextSearch(inner.texts), inner, match);
}

function isWorthwhile(inner: LineMatcher['inner']): boolean {
  if (inner === undefined) return false;
  return (inner.whole && !inner.fold) || inner.texts.every(({ length }) => length >= worthwhile);
}

/** Where a line matches; -1: nowhere; undefined: undecided. */
type LineMatch = (line: Buffer) => number | undefined;

function createLineMatch(matcher: LineMatcher): LineMatch {
  const match = createMatch(matcher);
  if (matcher.fromStart !== true) return match;
  return (line) => {
    const at = match(line);
    return at === undefined ? undefined : Math.min(at, 0);
  };
}

function createMatch(matcher: LineMatcher): LineMatch {
  const { ascii, unicode, tables, backtracks, lead } = matcher;
  const near = createNearMatch(matcher);
  const forAscii = ascii === undefined ? undefined : new RegExp(ascii.source, ascii.flags);
  const forAny = new RegExp(unicode.source, unicode.flags);
  return (line) => {
    const found = near !== undefined && line.length > longLine ? near(line) : 'far';
    if (found !== 'far') return found;
    if (backtracks && line.length > longLine && !isBounded(line, lead)) return undefined;
    if (isAscii(line)) return firstIndex(forAscii ?? forAny, line.toString('latin1'));
    if (!isUtf8(line)) return undefined;
    const text = line.toString('utf8');
    // What Node and ripgrep know differently may be a letter for one of them.
    if (tables && hasDoubtful(text)) return undefined;
    const index = firstIndex(forAny, text);
    return index <= 0 ? index : Buffer.byteLength(text.slice(0, index));
  };
}

/** Each place where a match may begin is followed over the line once at most. */
function isBounded(line: Buffer, lead: string | undefined): boolean {
  if (lead === undefined) return false;
  let places = 0;
  for (let at = line.indexOf(lead); at >= 0; at = line.indexOf(lead, at + 1)) {
    places += 1;
    if (places * line.length > mostSteps) return false;
  }
  return true;
}

function firstIndex(regex: RegExp, text: string): number {
  regex.lastIndex = 0;
  return regex.exec(text)?.index ?? -1;
}

/** Goes from one place of a text to the next and judges only their lines. */
function scanFor(find: TextSearch, { whole }: InnerLiteral, match: LineMatch): Scan {
  return (bytes, onLine, texts) => {
    const next = find(bytes, texts);
    for (let at = next(0); at >= 0; ) {
      const from = bytes.lastIndexOf(newline, at) + 1;
      const to = endOfLine(bytes, at);
      const matchAt = whole ? at - from : match(bytes.subarray(from, to));
      if (matchAt === undefined) return 'undecided';
      if (matchAt >= 0) onLine(from, to, matchAt);
      at = to + 1 < bytes.length ? next(to + 1) : -1;
    }
    return 'done';
  };
}

type AsciiScan = (text: string, offset: number, onLine: OnLine) => void;

/** Splits a piece into runs of ASCII lines, judged together, and single lines with other characters. */
function scanRuns(bytes: Buffer, ascii: AsciiScan, match: LineMatch, onLine: OnLine): Verdict {
  for (let at = 0; at < bytes.length; ) {
    const found = firstBeyondAscii(bytes, at);
    const from = found === bytes.length ? bytes.length : bytes.lastIndexOf(newline, found) + 1;
    if (from > at) ascii(bytes.toString('latin1', at, from), at, onLine);
    if (found === bytes.length) return 'done';
    const to = endOfLine(bytes, found);
    const matchAt = match(bytes.subarray(from, to));
    if (matchAt === undefined) return 'undecided';
    if (matchAt >= 0) onLine(from, to, matchAt);
    at = to + 1;
  }
  return 'done';
}

/** The length where there is none. Halving what is in doubt is much quicker than to look at each byte. */
function firstBeyondAscii(bytes: Buffer, from: number): number {
  let [at, step] = [from, 4_096];
  while (isAscii(bytes.subarray(at, at + step))) {
    at += step;
    if (at >= bytes.length) return bytes.length;
  }
  for (step /= 2; step >= 1; step /= 2) if (isAscii(bytes.subarray(at, at + step))) at += step;
  return at;
}

function createAsciiScan({ ascii, unicode, fromStart }: LineMatcher): AsciiScan {
  const { source, flags } = ascii ?? unicode;
  const regex = new RegExp(source, flags);
  return (text, offset, onLine) => {
    regex.lastIndex = 0;
    for (let found = regex.exec(text); found !== null; found = regex.exec(text)) {
      const from = startOfLine(text, found.index);
      // Behind the last newline there is no line.
      if (from === text.length) return;
      const end = text.indexOf('\n', found.index);
      const to = end < 0 ? text.length : end;
      onLine(offset + from, offset + to, fromStart === true ? 0 : found.index - from);
      if (to + 1 >= text.length) return;
      regex.lastIndex = to + 1;
    }
  };
}

/** Lines with a character whose small letter is ASCII are judged one by one; in the others only ASCII letters fold. */
function scanInAnyCase(inner: InnerLiteral, match: LineMatch): Scan {
  const find = createFoldedSearch(inner.texts);
  const scan = scanFor(find, inner, match);
  const judge: LineMatch = (line) => {
    const at = find(withoutSpecials(line))(0);
    if (at < 0) return -1;
    return inner.whole ? placeAmongSpecials(line, at) : match(line);
  };
  return (bytes, onLine) => {
    for (let at = 0; at < bytes.length; ) {
      const special = nextSpecial(bytes, at);
      const from = special < 0 ? bytes.length : bytes.lastIndexOf(newline, special) + 1;
      const piece = bytes.subarray(at, from);
      const begin = at;
      const verdict = scan(piece, (left, right, matchAt) => onLine(begin + left, begin + right, matchAt));
      if (verdict === 'undecided' || special < 0) return verdict;
      const to = endOfLine(bytes, special);
      const line = bytes.subarray(from, to);
      const matchAt = judge(line);
      if (matchAt === undefined) return 'undecided';
      if (matchAt >= 0) onLine(from, to, matchAt);
      at = to + 1;
    }
    return 'done';
  };
}

function startOfLine(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}

export function endOfLine(bytes: Buffer, at: number): number {
  const end = bytes.indexOf(newline, at);
  return end < 0 ? bytes.length : end;
}
