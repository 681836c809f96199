/** Puts what ripgrep has listed into path order: the work of one worker. */
import type { PathKey } from './contract.ts';
import { type PackedPaths, packPaths } from './packed-paths.ts';
import { byPath, endedByNul, keyOfBytes, withoutDotBytes } from './path-key.ts';
import { bytesOf } from './write-spill.ts';

export interface SortTask {
  /** Paths as ripgrep gives them, each ended by a NUL. */
  readonly listing: Uint8Array;
}

export function sortListing({ listing }: SortTask): PackedPaths {
  return packPaths(sortPaths(endedByNul(bytesOf(listing)).map((path) => keyOfBytes(withoutDotBytes(path)))));
}

/** Plain comparison where it is the same: it is many times faster. */
export function sortPaths(paths: PathKey[]): PathKey[] {
  return paths.some((path) => path.startsWith('\0')) ? paths.sort(byPath) : paths.sort();
}
