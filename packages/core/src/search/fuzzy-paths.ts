/**
 * Ranks the paths of a tree by what somebody types. Each word (they are separated by spaces) must fit; upper and lower
 * case are one. Invariant: equal tables and words give the same list, and a path is scored only when it has every letter
 * of the words, which one comparison of two numbers says.
 */
import { nameStart, scoreWord } from './fuzzy-score.ts';

export interface RankedPath {
  readonly path: string;
  /** Only for comparing within one answer; more is better. */
  readonly score: number;
}

export interface Ranking {
  /** The best first; at most as many as were asked for. */
  readonly ranked: readonly RankedPath[];
  /** All that fit. */
  readonly total: number;
}

export interface PathTable {
  size(): number;
  has(path: string): boolean;
  add(path: string): void;
  remove(path: string): void;
  paths(): IterableIterator<string>;
  /** Without a word all fit: the shortest paths come first. */
  rank(typed: string, limit: number): Ranking;
}

export function createPathTable(paths: Iterable<string> = []): PathTable {
  const slots = new Map<string, number>();
  const names: (string | undefined)[] = [];
  const lowered: string[] = [];
  const letters: number[] = [];
  const free: number[] = [];

  function add(path: string): void {
    if (slots.has(path)) return;
    const slot = free.pop() ?? names.length;
    const lower = path.toLowerCase();
    slots.set(path, slot);
    names[slot] = path;
    lowered[slot] = lower === path ? path : lower;
    letters[slot] = lettersOf(lower);
  }

  function remove(path: string): void {
    const slot = slots.get(path);
    if (slot === undefined) return;
    slots.delete(path);
    names[slot] = undefined;
    lowered[slot] = '';
    letters[slot] = 0;
    free.push(slot);
  }

  function rank(typed: string, limit: number): Ranking {
    const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
    const needed = lettersOf(words.join(''));
    const best = createBest(limit);
    for (let slot = 0; slot < names.length; slot += 1) {
      if (((letters[slot] ?? 0) & needed) !== needed) continue;
      const path = names[slot];
      if (path === undefined) continue;
      const score = scorePath(lowered[slot] ?? '', words);
      if (score > 0) best.take(path, score);
    }
    return best.ranking();
  }

  for (const path of paths) add(path);
  return { size: () => slots.size, has: (path) => slots.has(path), add, remove, paths: () => slots.keys(), rank };
}

/** 0: a word does not fit. Of equal fits the shorter path is nearer to what was meant. */
function scorePath(path: string, words: readonly string[]): number {
  const name = nameStart(path);
  let sum = 1_000;
  for (const word of words) {
    const score = scoreWord(path, name, word);
    if (score === 0) return 0;
    sum += score;
  }
  return sum - Math.min(path.length, 400) / 10;
}

/** A bit for each letter, one for digits, one for each sign that paths are made of, one for all else. */
function lettersOf(text: string): number {
  let bits = 0;
  for (let i = 0; i < text.length; i += 1) bits |= bitOf(text.charCodeAt(i));
  return bits;
}

function bitOf(code: number): number {
  if (code >= 97 && code <= 122) return 1 << (code - 97);
  if (code >= 48 && code <= 57) return 1 << 26;
  if (code === 47) return 1 << 27;
  if (code === 46) return 1 << 28;
  return code === 45 || code === 95 ? 1 << 29 : 1 << 30;
}

/** Keeps the best few in order while all are counted. */
function createBest(limit: number): { take(path: string, score: number): void; ranking(): Ranking } {
  const ranked: RankedPath[] = [];
  let total = 0;
  return {
    take(path, score) {
      total += 1;
      const last = ranked.at(-1);
      if (ranked.length >= limit && (last === undefined || !isBetter(path, score, last))) return;
      ranked.splice(placeOf(ranked, path, score), 0, { path, score });
      if (ranked.length > limit) ranked.pop();
    },
    ranking: () => ({ ranked, total }),
  };
}

function placeOf(ranked: readonly RankedPath[], path: string, score: number): number {
  let [low, high] = [0, ranked.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const there = ranked[middle];
    if (there !== undefined && !isBetter(path, score, there)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isBetter(path: string, score: number, than: RankedPath): boolean {
  return score > than.score || (score === than.score && path < than.path);
}
