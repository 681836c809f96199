/** Puts the tables of several runs of files one behind the other. */
import type { BlockRows, FileRows } from './rows.ts';

export function joinFiles(rows: readonly FileRows[]): FileRows {
  return {
    sizes: joinFloats(rows.map(({ sizes }) => sizes)),
    times: joinFloats(rows.map(({ times }) => times)),
    inodes: joinFloats(rows.map(({ inodes }) => inodes)),
    flags: joinBytes(rows.map(({ flags }) => flags)),
    blockCounts: joinWords(rows.map(({ blockCounts }) => blockCounts)),
  };
}

export function joinBlocks(rows: readonly BlockRows[]): BlockRows {
  return {
    offsets: joinWords(rows.map(({ offsets }) => offsets)),
    lengths: joinWords(rows.map(({ lengths }) => lengths)),
    firstLines: joinWords(rows.map(({ firstLines }) => firstLines)),
    flags: joinBytes(rows.map(({ flags }) => flags)),
  };
}

function total(arrays: readonly { readonly length: number }[]): number {
  return arrays.reduce((sum, { length }) => sum + length, 0);
}

function joinFloats(arrays: readonly Float64Array[]): Float64Array {
  return fill(new Float64Array(total(arrays)), arrays);
}

export function joinWords(arrays: readonly Uint32Array[]): Uint32Array {
  return fill(new Uint32Array(total(arrays)), arrays);
}

function joinBytes(arrays: readonly Uint8Array[]): Uint8Array {
  return fill(new Uint8Array(total(arrays)), arrays);
}

function fill<A extends { set(from: A, at: number): void; readonly length: number }>(into: A, arrays: readonly A[]): A {
  let at = 0;
  for (const array of arrays) {
    into.set(array, at);
    at += array.length;
  }
  return into;
}
