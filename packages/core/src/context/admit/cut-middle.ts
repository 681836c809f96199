/**
 * Decides what of too many lines stays: the head, the tail, and of the middle the lines that report trouble, like ones
 * counted. Invariant: the result takes at most `cap` bytes, cuts fall on line boundaries, and what is left out is named
 * in one line.
 */
import { utf8Length } from '../../text/utf8.ts';
import { clipLine } from './clip-line.ts';
import { formatCount } from './format-count.ts';
import { maskLine } from './like-lines.ts';
import type { Row } from './row.ts';
import { type Trouble, troubleIn } from './trouble.ts';

export interface Cut {
  /** Bounds of the middle that is left out: rows from `from` up to but without `to`. */
  readonly from: number;
  readonly to: number;
  readonly trouble: readonly string[];
}

/** The tail gets more: results and summaries come last. */
const headShare = 0.45;

export interface CutRules {
  readonly cap: number;
  /** What the line that names the middle may take of the cap. */
  readonly notice: number;
  readonly keepTrouble: boolean;
  /** Where lines are missing already; the middle then includes it. */
  readonly gap: number | undefined;
}

export function cutMiddle(rows: readonly Row[], { cap, notice, keepTrouble, gap }: CutRules): Cut {
  const sizes = rows.map((row) => utf8Length(row.text) + 1);
  const room = cap - notice;
  const tightest = boundsOf(sizes, keepTrouble ? room - cap / 2 : room, gap);
  if (!keepTrouble) return { ...tightest, trouble: [] };
  const found = findTrouble(rows, tightest, cap / 2);
  const bounds = boundsOf(sizes, room - bytesOf(found), gap);
  const inside = found.filter((group) => group.at >= bounds.from && group.at < bounds.to);
  return { ...bounds, trouble: inside.map(describe) };
}

function boundsOf(sizes: readonly number[], room: number, gap: number | undefined): { from: number; to: number } {
  let from = 0;
  let used = 0;
  const fits = (size: number | undefined, limit: number): size is number => size !== undefined && used + size <= limit;
  for (let size = sizes[from]; from < (gap ?? sizes.length) && fits(size, room * headShare); size = sizes[from]) {
    used += size;
    from += 1;
  }
  let to = sizes.length;
  for (let size = sizes[to - 1]; to > Math.max(from, gap ?? 0) && fits(size, room); size = sizes[to - 1]) {
    used += size;
    to -= 1;
  }
  return { from, to };
}

interface Group {
  readonly at: number;
  readonly text: string;
  count: number;
}

/** Names of tests that failed come first, yet leave room for the reasons; what merely speaks of an error comes last. */
const testsShare = 0.6;
/** A line of the middle is shown to this many bytes. */
const troubleLine = 320;

/** Different ones first come, first served within their kind; lines like one that is kept are only counted. */
function findTrouble(rows: readonly Row[], middle: { from: number; to: number }, budget: number): Group[] {
  const { test, error, mention } = groupTrouble(rows, middle, budget);
  const kept: Group[] = [];
  let left = budget;
  const keep = (groups: readonly Group[], room: number) => {
    let within = Math.min(left, room);
    for (const group of groups) {
      if (kept.includes(group) || sizeOf(group) > within) continue;
      kept.push(group);
      within -= sizeOf(group);
      left -= sizeOf(group);
    }
  };
  keep(test, budget * testsShare);
  for (const rest of [error, test, mention]) keep(rest, left);
  return kept.sort((a, b) => a.at - b.at);
}

/** No more of a kind than the budget holds. */
function groupTrouble(
  rows: readonly Row[],
  middle: { from: number; to: number },
  budget: number,
): Record<Trouble, Group[]> {
  const known = new Map<string, Group>();
  const groups: Record<Trouble, Group[]> = { test: [], error: [], mention: [] };
  const left: Record<Trouble, number> = { test: budget, error: budget, mention: budget };
  for (let at = middle.from; at < middle.to; at += 1) {
    const row = rows[at];
    const kind = row === undefined ? undefined : troubleIn(row.text);
    if (row === undefined || kind === undefined) continue;
    const key = maskLine(row.text);
    const like = known.get(key);
    const group = { at, text: `${row.line}: ${clipLine(row.text, troubleLine)}`, count: 1 };
    if (like !== undefined) like.count += row.lastLine - row.line + 1;
    else if (sizeOf(group) <= left[kind]) {
      left[kind] -= sizeOf(group);
      known.set(key, group);
      groups[kind].push(group);
    }
  }
  return groups;
}

function bytesOf(groups: readonly Group[]): number {
  return groups.reduce((sum, group) => sum + sizeOf(group), 0);
}

/** With room for the count and the line end. */
function sizeOf(group: Group): number {
  return utf8Length(group.text) + 24;
}

function describe(group: Group): string {
  return group.count === 1 ? group.text : `${group.text} (+${formatCount(group.count - 1)} like it)`;
}
