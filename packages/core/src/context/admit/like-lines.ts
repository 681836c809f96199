/**
 * Decides which lines say the same thing: equal ones, and those that differ only in numbers, bars and spinners.
 * Invariant: of a run the first line stays, of lines that are only alike the last one too, and the rest is counted.
 */
import { counted } from './format-count.ts';
import type { Row } from './row.ts';

/** `progress` joins alike lines only where they show progress; `all` any that are alike, for output that is too long. */
export type Joining = 'progress' | 'all';

const equalRun = 3;
const likeRun: Readonly<Record<Joining, number>> = { progress: 4, all: 6 };

export function joinLikeLines(rows: readonly Row[], joining: Joining): Row[] {
  const out: Row[] = [];
  let at = 0;
  while (at < rows.length) {
    const equal = runLength(rows, at, (a, b) => a.text === b.text);
    const alike = equal >= equalRun ? 0 : alikeLength(rows, at, joining);
    const length = alike >= likeRun[joining] ? alike : equal >= equalRun ? equal : 1;
    const run = rows.slice(at, at + length);
    out.push(...(alike >= likeRun[joining] ? joinAlike(run) : joinEqual(run)));
    at += length;
  }
  return out;
}

/** The line with everything that a counter changes masked. */
export function maskLine(text: string): string {
  return text
    .slice(0, 400)
    .replace(/[0-9a-f]{7,}|\d+(?:[.,:]\d+)*/gi, '#')
    .replace(/[\u2580-\u259f\u2501\u2578\u257a=>#*.-]{3,}/g, '=')
    .replace(/[\u2800-\u28ff\u25d0-\u25d3\u25f4-\u25f7|/\\-](?=\s|$)/g, '*')
    .replace(/\b[kmgt]?i?b(?:\/s|ps)?\b/gi, 'B')
    .replace(/\s+/g, ' ')
    .trim();
}

const progress =
  /\d\s?%|\d\s*[kmg]?i?b?\s*\/\s*\d|[\u2580-\u259f\u2501\u2578\u257a]{3,}|[=#>-]{5,}|[\u2800-\u28ff\u25d0-\u25d3\u25f4-\u25f7]|\.{4,}|^\s*[|/\\-](?:\s|$)|\s[|/\\-]$/i;

export function showsProgress(text: string): boolean {
  return progress.test(text.slice(0, 400));
}

function alikeLength(rows: readonly Row[], at: number, joining: Joining): number {
  const first = rows[at];
  if (first === undefined || !joinable(first, joining)) return 0;
  const mask = maskLine(first.text);
  return mask === '' ? 0 : runLength(rows, at, (_, b) => joinable(b, joining) && maskLine(b.text) === mask);
}

function joinable(row: Row, joining: Joining): boolean {
  return joining === 'all' || row.redrawn === true || showsProgress(row.text);
}

function runLength(rows: readonly Row[], at: number, same: (first: Row, other: Row) => boolean): number {
  const first = rows[at];
  if (first === undefined) return 0;
  let end = at + 1;
  for (let next = rows[end]; next !== undefined && same(first, next); next = rows[end]) end += 1;
  return end - at;
}

function joinEqual(run: readonly Row[]): Row[] {
  const [first] = run;
  if (first === undefined || run.length < equalRun) return [...run];
  if (first.text.trim() === '') return [{ ...first, lastLine: lastLineOf(run) }];
  const note = noteFor(run.slice(1), `[the same line ${counted(run.length - 1, 'more time', 'more times')}]`, false);
  return bytesOf(run) <= first.bytes + note.text.length + 1 ? [...run] : [first, note];
}

function joinAlike(run: readonly Row[]): Row[] {
  const [first, last] = [run[0], run.at(-1)];
  if (first === undefined || last === undefined) return [];
  const between = run.slice(1, -1);
  const note = noteFor(between, `[${counted(between.length, 'line')} like these two left out]`, true);
  return note.bytes <= note.text.length ? [...run] : [first, note, last];
}

function noteFor(run: readonly Row[], text: string, lossy: boolean): Row {
  const line = run[0]?.line ?? 0;
  return { text, line, lastLine: lastLineOf(run), bytes: bytesOf(run), ...(lossy ? { lossy } : {}) };
}

function lastLineOf(run: readonly Row[]): number {
  return run.at(-1)?.lastLine ?? 0;
}

function bytesOf(run: readonly Row[]): number {
  return run.reduce((sum, row) => sum + row.bytes + 1, 0) - 1;
}
