/** Chance by a seed: the same seed gives the same tree and the same queries, on any machine. */

export interface Random {
  /** From 0 to below `n`. */
  below(n: number): number;
  chance(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
  /** Between `min` and `max` of them. */
  some<T>(min: number, max: number, make: () => T): T[];
}

export function randomOf(seed: number): Random {
  let state = (seed * 2_654_435_761 + 1) >>> 0;
  /** Mulberry32. */
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
  const below = (n: number) => Math.floor(next() * n);
  return {
    below,
    chance: (probability) => next() < probability,
    pick: <T>(from: readonly T[]) => from[below(from.length)] as T,
    some: (min, max, make) => Array.from({ length: min + below(max - min + 1) }, make),
  };
}
