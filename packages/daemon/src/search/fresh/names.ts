/**
 * Names of files as text, also those that are no UTF-8: a byte that belongs to no character stands as U+DC80 to U+DCFF.
 * Invariant: text and bytes convert both ways without loss, and a path may be taken apart and joined like any other.
 */
import type { PathKey } from '../index/contract.ts';

const replacement = '\uFFFD';

export function nameOfBytes(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  if (!text.includes(replacement) || Buffer.from(text, 'utf8').equals(bytes)) return text;
  let name = '';
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at);
    name += length === 0 ? String.fromCharCode(0xdc00 + (bytes[at] ?? 0)) : bytes.toString('utf8', at, at + length);
    at += Math.max(1, length);
  }
  return name;
}

/** 0: no character begins here. */
function characterLength(bytes: Buffer, at: number): number {
  for (const length of [1, 2, 3, 4]) {
    const part = bytes.subarray(at, at + length);
    const text = part.toString('utf8');
    if (part.length === length && !text.includes(replacement)) return length;
    if (text === replacement && Buffer.from(text, 'utf8').equals(part)) return length;
  }
  return 0;
}

export function isPlainName(name: string): boolean {
  return !strayByte.test(name);
}

const strayByte = /(?<![\uD800-\uDBFF])[\uDC80-\uDCFF]/;

/** What the file system takes. */
export function bytesOfName(name: string): Buffer {
  if (isPlainName(name)) return Buffer.from(name, 'utf8');
  const parts: Buffer[] = [];
  for (const char of name) {
    const code = char.codePointAt(0) ?? 0;
    parts.push(code >= 0xdc80 && code <= 0xdcff ? Buffer.from([code - 0xdc00]) : Buffer.from(char, 'utf8'));
  }
  return Buffer.concat(parts);
}

/** As messages name it, and as a watcher does. */
export function lossyName(name: string): string {
  return isPlainName(name) ? name : bytesOfName(name).toString('utf8');
}

export function keyOfName(path: string): PathKey {
  return isPlainName(path) ? path : `\0${bytesOfName(path).toString('latin1')}`;
}

export function nameOfKey(key: PathKey): string {
  return key.startsWith('\0') ? nameOfBytes(Buffer.from(key.slice(1), 'latin1')) : key;
}
