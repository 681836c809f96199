/**
 * Finds long runs of lines that earlier results show already. Invariant: a run is found only where every line of it is
 * equal, in a row, to lines that are visible whole.
 */
import type { CallId } from '@zerd/protocol/common/ids';
import { utf8Length } from '../../text/utf8.ts';
import type { VisibleResult, VisibleResults } from '../visible.ts';

/** From this many lines in a row on, a pointer takes their place. */
export const leastRun = 40;

export interface Run {
  /** Bounds in the new lines, counted from 0: from `from` up to but without `to`. */
  readonly from: number;
  readonly to: number;
  readonly callId: CallId;
}

/** Places of one line that are tried: some lines are everywhere. */
const maxPlaces = 16;
/** Lines like `}` and blank ones say nothing about where a run begins. */
const leastAnchor = 4;

export function findRuns(lines: readonly string[], results: VisibleResults): readonly Run[] {
  if (lines.length < leastRun) return [];
  const sources = [...results.values()].filter(({ result }) => result === 'whole').flatMap(sourceOf);
  const places = placesOf(sources, new Set(lines.filter(isAnchor)));
  const runs: Run[] = [];
  let at = 0;
  while (at < lines.length) {
    const run = longestAt(lines, at, runs.at(-1)?.to ?? 0, places);
    if (run !== undefined) runs.push(run);
    at = run?.to ?? at + 1;
  }
  return runs;
}

interface Source {
  readonly callId: CallId;
  readonly lines: readonly string[];
}

interface Place {
  readonly source: Source;
  readonly at: number;
}

function sourceOf({ callId, shown }: VisibleResult): readonly Source[] {
  const lines = shown.split('\n');
  return lines.length < leastRun ? [] : [{ callId, lines }];
}

function isAnchor(line: string): boolean {
  return line.trim().length >= leastAnchor;
}

function placesOf(sources: readonly Source[], wanted: ReadonlySet<string>): ReadonlyMap<string, readonly Place[]> {
  const places = new Map<string, Place[]>();
  for (const source of sources.toReversed()) {
    for (const [at, line] of source.lines.entries()) {
      if (!wanted.has(line)) continue;
      const known = places.get(line);
      if (known === undefined) places.set(line, [{ source, at }]);
      else if (known.length < maxPlaces) known.push({ source, at });
    }
  }
  return places;
}

function longestAt(
  lines: readonly string[],
  at: number,
  floor: number,
  places: ReadonlyMap<string, readonly Place[]>,
): Run | undefined {
  let best: Run | undefined;
  for (const { source, at: there } of places.get(lines[at] ?? '') ?? []) {
    const back = common(at - floor, (i) => lines[at - 1 - i] === source.lines[there - 1 - i]);
    const ahead = common(lines.length - at, (i) => lines[at + i] === source.lines[there + i]);
    if (back + ahead < leastRun || back + ahead <= (best ? best.to - best.from : 0)) continue;
    best = { from: at - back, to: at + ahead, callId: source.callId };
  }
  return best !== undefined && weighs(lines.slice(best.from, best.to)) ? best : undefined;
}

function common(most: number, same: (i: number) => boolean): number {
  let count = 0;
  while (count < most && same(count)) count += 1;
  return count;
}

/** Forty blank lines are not worth a pointer. */
function weighs(lines: readonly string[]): boolean {
  return lines.reduce((sum, line) => sum + utf8Length(line) + 1, 0) >= 400;
}
