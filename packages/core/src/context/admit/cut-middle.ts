/**
 * Decides what of too many lines stays: the head, the tail, and of the middle the lines that report trouble, like ones
 * counted. Invariant: the result takes at most `cap` bytes, cuts fall on line boundaries, and what is left out is named
 * in one line.
 */
import { utf8Length } from '../../text/utf8.ts';
import { formatCount } from './format-count.ts';
import { maskLine } from './like-lines.ts';
import type { Row } from './row.ts';
import { reportsTrouble } from './trouble.ts';

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

/** Different ones first come, first served; lines like one that is kept are only counted. */
function findTrouble(rows: readonly Row[], middle: { from: number; to: number }, budget: number): Group[] {
  const groups = new Map<string, Group>();
  let left = budget;
  for (let at = middle.from; at < middle.to; at += 1) {
    const row = rows[at];
    if (row === undefined || !reportsTrouble(row.text)) continue;
    const key = maskLine(row.text);
    const known = groups.get(key);
    const group = { at, text: `${row.line}: ${row.text}`, count: 1 };
    if (known !== undefined) known.count += row.lastLine - row.line + 1;
    else if (sizeOf(group) <= left) {
      left -= sizeOf(group);
      groups.set(key, group);
    }
  }
  return [...groups.values()];
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
