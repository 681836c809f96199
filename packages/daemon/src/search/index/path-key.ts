/** Names of files as strings, also those whose bytes are no UTF-8. Invariant: both ways give back what was put in. */
import { isUtf8 } from 'node:buffer';
import type { PathKey } from './contract.ts';

/** No path holds a NUL: it marks what follows as bytes. */
const bytesMark = '\0';

export function keyOfBytes(bytes: Buffer): PathKey {
  return isUtf8(bytes) ? bytes.toString('utf8') : bytesMark + bytes.toString('latin1');
}

/** Names of which each is ended by a NUL. */
export function endedByNul(bytes: Buffer): Buffer[] {
  const names: Buffer[] = [];
  for (let at = 0, end = bytes.indexOf(0); end >= 0; at = end + 1, end = bytes.indexOf(0, at)) {
    names.push(bytes.subarray(at, end));
  }
  return names;
}

/** Ripgrep repeats the './' of its argument. */
export function withoutDotBytes(path: Buffer): Buffer {
  return path[0] === 0x2e && path[1] === 0x2f ? path.subarray(2) : path;
}

export function bytesOfKey(key: PathKey): Buffer {
  return key.startsWith(bytesMark) ? Buffer.from(key.slice(1), 'latin1') : Buffer.from(key, 'utf8');
}

/** As ripgrep's path is shown: broken characters replaced. */
export function shownPath(key: PathKey): string {
  return key.startsWith(bytesMark) ? bytesOfKey(key).toString('utf8') : key;
}

/** Where the file is, for calls of `fs`. */
export function fileOfKey(root: string, key: PathKey): string | Buffer {
  if (!key.startsWith(bytesMark)) return `${root}/${key}`;
  return Buffer.concat([Buffer.from(`${root}/`), bytesOfKey(key)]);
}

/** In the order of what is shown. */
export function byPath(a: PathKey, b: PathKey): number {
  const [left, right] = [shownPath(a), shownPath(b)];
  if (left !== right) return left < right ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
