/** Arithmetic of known lines: what of a wanted range the transcript shows, by which calls. Lines count from 1, both ends in. */
import type { CallId } from '@zerd/protocol/common/ids';
import type { KnownRange } from '../../session/known-files.ts';

export interface LineRange {
  readonly firstLine: number;
  readonly lastLine: number;
}

/** A run of lines that are all known, by these calls together, or all new. */
export interface Segment extends LineRange {
  /** Undefined: new. */
  readonly by: readonly CallId[] | undefined;
}

/** `wanted` in order, cut where known and new lines meet. */
export function segmentsOf(wanted: LineRange, known: readonly KnownRange[]): readonly Segment[] {
  const segments: Segment[] = [];
  let line = wanted.firstLine;
  while (line <= wanted.lastLine) {
    const next = knownFrom(line, wanted.lastLine, known) ?? newFrom(line, wanted.lastLine, known);
    segments.push(next);
    line = next.lastLine + 1;
  }
  return segments;
}

/** Undefined: not all of it is known. */
export function knownBy(wanted: LineRange, known: readonly KnownRange[]): readonly CallId[] | undefined {
  const [only, ...more] = segmentsOf(wanted, known);
  return more.length === 0 ? only?.by : undefined;
}

/** Those that a diff may start from: what their calls show of the file is this copy of it, or was told to become it. */
export function inStep(ranges: readonly KnownRange[]): readonly KnownRange[] {
  return ranges.filter(({ overtaken = false }) => !overtaken);
}

export function union(lists: readonly (readonly CallId[])[]): readonly CallId[] {
  return [...new Set(lists.flat())];
}

/** As many lines in a row as are known from `line` on; of several ranges the one that reaches furthest. */
function knownFrom(line: number, limit: number, known: readonly KnownRange[]): Segment | undefined {
  let end = line - 1;
  const used: KnownRange[] = [];
  for (;;) {
    const best = known.reduce<KnownRange | undefined>((found, range) => {
      const goesOn = range.firstLine <= end + 1 && range.lastLine > (found?.lastLine ?? end);
      return goesOn ? range : found;
    }, undefined);
    if (best === undefined || end >= limit) break;
    used.push(best);
    end = best.lastLine;
  }
  if (used.length === 0) return undefined;
  return { firstLine: line, lastLine: Math.min(end, limit), by: union(used.map(({ by }) => by)) };
}

function newFrom(line: number, limit: number, known: readonly KnownRange[]): Segment {
  const starts = known.map(({ firstLine }) => firstLine).filter((first) => first > line);
  return { firstLine: line, lastLine: Math.min(limit, ...starts.map((first) => first - 1)), by: undefined };
}
