/**
 * The names of many files as bytes: they go to threads and to disk as they are, and no thread has to make strings of
 * them but the one that reads the files. Invariant: unpacking gives back what was packed.
 */
import type { PathKey } from './contract.ts';
import { bytesOfKey, keyOfBytes } from './path-key.ts';
import { bytesOf } from './write-spill.ts';

/** One behind the other, each ended by a NUL; `ends`: where the next one begins. Both have their memory to themselves. */
export interface PackedPaths {
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
}

const nul = Buffer.alloc(1);

export function packPaths(paths: readonly PathKey[]): PackedPaths {
  const bytes = packed(paths);
  const ends = new Uint32Array(paths.length);
  for (let n = 0, at = 0; n < paths.length; n += 1) {
    at = bytes.indexOf(0, at) + 1;
    ends[n] = at;
  }
  return { bytes, ends };
}

function packed(paths: readonly PathKey[]): Buffer {
  if (paths.length === 0) return Buffer.alloc(0);
  const isPlain = !paths.some((path) => path.startsWith('\0'));
  return isPlain ? ownBytes(`${paths.join('\0')}\0`) : Buffer.concat(paths.flatMap((path) => [bytesOfKey(path), nul]));
}

/** Not out of Node's pool, all of which would go along to a thread. */
function ownBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

export function unpackPaths({ bytes, ends }: PackedPaths): PathKey[] {
  const all = bytesOf(bytes);
  return Array.from(ends, (end, n) => keyOfBytes(all.subarray(ends[n - 1] ?? 0, end - 1)));
}

/** Those from one place up to another. */
export function sliceOfPaths({ bytes, ends }: PackedPaths, from: number, to: number): PackedPaths {
  const [begin, end] = [ends[from - 1] ?? 0, ends[to - 1] ?? 0];
  return { bytes: new Uint8Array(bytes.subarray(begin, end)), ends: ends.slice(from, to).map((at) => at - begin) };
}

/** Those at some places, ascending. */
export function pickPaths({ bytes, ends }: PackedPaths, places: Uint32Array): PackedPaths {
  const lengthAt = (place: number) => (ends[place] ?? 0) - (ends[place - 1] ?? 0);
  const picked = new Uint8Array(places.reduce((sum, place) => sum + lengthAt(place), 0));
  const pickedEnds = new Uint32Array(places.length);
  let at = 0;
  places.forEach((place, n) => {
    picked.set(bytes.subarray(ends[place - 1] ?? 0, ends[place]), at);
    at += lengthAt(place);
    pickedEnds[n] = at;
  });
  return { bytes: picked, ends: pickedEnds };
}
