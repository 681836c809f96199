/** Puts what ripgrep has listed into path order: the work of one worker. */
import type { PathKey } from './contract.ts';
import { type PackedPaths, packPaths } from './packed-paths.ts';
import { byPath, keyOfBytes } from './path-key.ts';

export interface SortTask {
  /** Paths as ripgrep gives them, each ended by a NUL. */
  readonly listing: Uint8Array;
}

export function sortListing({ listing }: SortTask): PackedPaths {
  const bytes = Buffer.from(listing.buffer, listing.byteOffset, listing.length);
  const paths: PathKey[] = [];
  for (let at = 0, end = bytes.indexOf(0); end >= 0; at = end + 1, end = bytes.indexOf(0, at)) {
    paths.push(keyOfBytes(bytes.subarray(bytes.toString('latin1', at, at + 2) === './' ? at + 2 : at, end)));
  }
  return packPaths(sortPaths(paths));
}

/** Plain comparison where it is the same: it is many times faster. */
export function sortPaths(paths: PathKey[]): PathKey[] {
  return paths.some((path) => path.startsWith('\0')) ? paths.sort(byPath) : paths.sort();
}
