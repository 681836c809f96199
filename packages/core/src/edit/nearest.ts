/**
 * Finds the lines of a file that come nearest to a text which is not in it, so that a failed edit can show what is
 * there now. A hint for showing only: nothing is ever edited by it. Work and answer are bounded.
 */
import { splitLines, toLf } from '../text/lines.ts';
import { clipUtf8, utf8Length } from '../text/utf8.ts';

export interface Region {
  /** From 1. */
  readonly firstLine: number;
  /** Without endings; over-long ones are cut. */
  readonly lines: readonly string[];
  /** The region equals what was looked for, white space aside. */
  readonly onlyWhiteSpace: boolean;
}

const maxFileLines = 200_000;
/** Comparing character by character is dear: only this far into a file. */
const maxComparedLines = 20_000;
const maxOldLines = 40;
const maxShownLines = 24;
const maxShownBytes = 2_000;
const maxLineBytes = 240;
const maxCandidates = 40;
/** Below this average likeness of the lines a region is no hint but noise. */
const leastLikeness = 0.4;

/** Undefined: nothing in `text` is like `old`. */
export function nearestRegion(text: string, old: string): Region | undefined {
  const lines = linesOf(text, maxFileLines);
  const wanted = withoutBlankEnds(linesOf(old, maxOldLines));
  if (wanted.length === 0) return undefined;
  let best = { start: 0, likeness: 0 };
  for (const start of candidates(lines, wanted)) {
    const likeness = likenessAt(lines, wanted, start);
    if (likeness > best.likeness) best = { start, likeness };
  }
  return best.likeness < leastLikeness ? undefined : show(lines, wanted, best.start);
}

function linesOf(text: string, max: number): string[] {
  return splitLines(toLf(text))
    .slice(0, max)
    .map((line) => line.replace(/\n$/, ''));
}

function withoutBlankEnds(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return first < 0 ? [] : lines.slice(first, last + 1);
}

/** Where the region may begin: the places that most equal lines vote for, and those of the lines most like the longest. */
function candidates(lines: readonly string[], wanted: readonly string[]): readonly number[] {
  const votes = new Map<number, number>();
  const places = placesOf(lines, new Set(wanted.map(keyOf)));
  wanted.forEach((line, i) => {
    for (const place of places.get(keyOf(line)) ?? []) {
      votes.set(place - i, (votes.get(place - i) ?? 0) + Math.min(keyOf(line).length, 40));
    }
  });
  const voted = [...votes].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([start]) => start);
  return [...voted.slice(0, maxCandidates), ...likeLongest(lines, wanted)].filter((start) => start < lines.length);
}

function placesOf(lines: readonly string[], keys: ReadonlySet<string>): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  lines.forEach((line, i) => {
    const key = keyOf(line);
    if (key === '' || !keys.has(key)) return;
    const known = places.get(key);
    if (known === undefined) places.set(key, [i]);
    else if (known.length < 200) known.push(i);
  });
  return places;
}

function likeLongest(lines: readonly string[], wanted: readonly string[]): number[] {
  const longest = wanted.reduce((a, b) => (keyOf(b).length > keyOf(a).length ? b : a));
  const pairs = pairsOf(longest);
  return lines
    .slice(0, maxComparedLines)
    .map((line, i) => ({ i, likeness: likenessTo(pairs, line) }))
    .filter(({ likeness }) => likeness >= leastLikeness)
    .sort((a, b) => b.likeness - a.likeness || a.i - b.i)
    .slice(0, maxCandidates)
    .map(({ i }) => i - wanted.indexOf(longest));
}

/** Average likeness of the lines, longer ones counting more. */
function likenessAt(lines: readonly string[], wanted: readonly string[], start: number): number {
  let sum = 0;
  let weights = 0;
  wanted.forEach((line, i) => {
    const weight = Math.min(keyOf(line).length, 40);
    weights += weight;
    sum += weight * likeness(line, lines[start + i] ?? '');
  });
  return weights === 0 ? 0 : sum / weights;
}

function likeness(a: string, b: string): number {
  return keyOf(a) === keyOf(b) ? 1 : likenessTo(pairsOf(a), b);
}

/** Dice's coefficient over pairs of neighbouring characters: 1 alike, 0 nothing in common. */
function likenessTo(pairs: ReadonlySet<string>, line: string): number {
  const other = pairsOf(line);
  if (pairs.size + other.size === 0) return 0;
  let common = 0;
  for (const pair of other) if (pairs.has(pair)) common += 1;
  return (2 * common) / (pairs.size + other.size);
}

function pairsOf(line: string): ReadonlySet<string> {
  const key = keyOf(line);
  const pairs = new Set<string>();
  for (let i = 0; i + 1 < key.length; i += 1) pairs.add(key.slice(i, i + 2));
  return pairs;
}

/** A line as it is compared: its beginning, white space aside. */
function keyOf(line: string): string {
  return line.slice(0, 200).replace(/\s+/g, '');
}

function show(lines: readonly string[], wanted: readonly string[], start: number): Region {
  const first = Math.max(0, start);
  const region = lines.slice(first, start + wanted.length);
  const onlyWhiteSpace = sansSpace(region) === sansSpace(wanted);
  return { firstLine: first + 1, lines: bounded(region), onlyWhiteSpace };
}

function sansSpace(lines: readonly string[]): string {
  return lines.join('').replace(/\s+/g, '');
}

function bounded(lines: readonly string[]): string[] {
  const shown: string[] = [];
  let bytes = 0;
  for (const line of lines.slice(0, maxShownLines)) {
    const clipped = clipUtf8(line, maxLineBytes);
    bytes += utf8Length(clipped) + 1;
    if (bytes > maxShownBytes) break;
    shown.push(clipped);
  }
  return shown;
}
