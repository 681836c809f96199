/** What of a file the rendered transcript shows at this moment, and how that is written into an event. */
import type { ShownLines } from '@zerd/protocol/common/event';
import type { CallId } from '@zerd/protocol/common/ids';
import type { KnownCopy, KnownRange } from '../../session/known-files.ts';
import type { SessionState } from '../../session/state.ts';
import { isWhole, type VisibleResults } from '../visible.ts';

/** The copies of a file that the model may still see, the newest first. */
export function knownCopies(state: SessionState, path: string): readonly KnownCopy[] {
  const { now, read } = state.known.get(path) ?? { now: undefined, read: undefined };
  return [now, read].filter((copy, i) => copy !== undefined && (i === 0 || copy !== now)) as readonly KnownCopy[];
}

/** The contents with which a file of content `hash` may have to be compared. */
export function basesWanted(state: SessionState, path: string, hash: string): readonly string[] {
  const hashes = knownCopies(state, path).map((copy) => copy.hash);
  return [...new Set(hashes)].filter((other) => other !== hash);
}

/** The ranges all of whose calls are visible. */
export function visibleRanges(copy: KnownCopy, results: VisibleResults): readonly KnownRange[] {
  return copy.ranges.filter(({ by }) => by.every((callId) => isWhole(results, callId)));
}

/** What an event can hold: more is forgotten, the smallest ranges first. */
const maxRanges = 16;
const maxCalls = 24;

export function readsOf(
  { path, hash, lines }: Pick<ShownLines, 'path' | 'hash' | 'lines'>,
  ranges: readonly KnownRange[],
  self: CallId,
): ShownLines[] {
  return withinBounds(simplified(ranges)).map(({ firstLine, lastLine, by, overtaken = false }) => ({
    path,
    hash,
    lines,
    firstLine,
    lastLine,
    ...(by.length === 1 && by[0] === self ? {} : { by: [...by] }),
    ...(overtaken ? { overtaken } : {}),
  }));
}

/** In order; ranges of the same calls that meet or overlap become one, and one within another goes. */
function simplified(ranges: readonly KnownRange[]): readonly KnownRange[] {
  const sorted = ranges.toSorted((a, b) => a.firstLine - b.firstLine || b.lastLine - a.lastLine);
  const kept: KnownRange[] = [];
  for (const range of sorted) {
    const last = kept.findLastIndex((other) => sameCalls(other, range) && !other.overtaken === !range.overtaken);
    const before = kept[last];
    if (before !== undefined && range.firstLine <= before.lastLine + 1)
      kept[last] = { ...before, lastLine: Math.max(before.lastLine, range.lastLine) };
    else kept.push(range);
  }
  return kept.filter(
    (range, i) => !kept.some((other, j) => i !== j && within(range, other) && (j < i || !within(other, range))),
  );
}

function sameCalls(a: KnownRange, b: KnownRange): boolean {
  return a.by.length === b.by.length && a.by.every((callId) => b.by.includes(callId));
}

/** Also that `outer` needs no other calls and is as good for a diff: a range that needs fewer is worth keeping. */
function within(inner: KnownRange, outer: KnownRange): boolean {
  const inside = inner.firstLine >= outer.firstLine && inner.lastLine <= outer.lastLine;
  if (!inside || (outer.overtaken && !inner.overtaken)) return false;
  return outer.by.every((callId) => inner.by.includes(callId));
}

function withinBounds(ranges: readonly KnownRange[]): readonly KnownRange[] {
  const usable = ranges.filter(({ by }) => by.length <= maxCalls);
  if (usable.length <= maxRanges) return usable;
  const largest = new Set(usable.toSorted((a, b) => lengthOf(b) - lengthOf(a)).slice(0, maxRanges));
  return usable.filter((range) => largest.has(range));
}

function lengthOf({ firstLine, lastLine }: KnownRange): number {
  return lastLine - firstLine;
}
