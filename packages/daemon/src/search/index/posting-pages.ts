/** Reads postings by position, page by page, and keeps the pages used last. Invariant: no byte is given that is not checked. */
import { readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { headerBytes, pageBytes } from './segment-format.ts';

export class DamagedIndex extends Error {}

export interface PostingPages {
  read(from: number, to: number): Uint8Array;
  bytes(): number;
}

const keptPages = 256;

export function createPostingPages(fd: number, postingsBytes: number, checksums: Uint32Array): PostingPages {
  /** In the order of their last use. */
  const pages = new Map<number, Buffer>();

  function page(n: number): Buffer {
    const kept = pages.get(n);
    if (kept !== undefined) pages.delete(n);
    const bytes = kept ?? load(n);
    pages.set(n, bytes);
    const [oldest] = pages.keys();
    if (pages.size > keptPages && oldest !== undefined) pages.delete(oldest);
    return bytes;
  }

  function load(n: number): Buffer {
    const length = Math.min(pageBytes, postingsBytes - n * pageBytes);
    const bytes = Buffer.allocUnsafeSlow(length);
    const count = readSync(fd, bytes, 0, length, headerBytes + n * pageBytes);
    check(bytes.subarray(0, count), length, n);
    return bytes;
  }

  function check(bytes: Buffer, length: number, n: number): void {
    if (bytes.length !== length || crc32(bytes) !== checksums[n]) throw new DamagedIndex('its postings are damaged');
  }

  /** Long lists are read at once: keeping them would only push others out. */
  function readLong(from: number, to: number): Uint8Array {
    const first = Math.floor(from / pageBytes);
    const start = first * pageBytes;
    const length = Math.min(postingsBytes, Math.ceil(to / pageBytes) * pageBytes) - start;
    const bytes = Buffer.allocUnsafeSlow(length);
    const count = readSync(fd, bytes, 0, length, headerBytes + start);
    for (let at = 0, n = first; at < length; at += pageBytes, n += 1) {
      check(bytes.subarray(at, Math.min(at + pageBytes, count)), Math.min(pageBytes, length - at), n);
    }
    return bytes.subarray(from - start, to - start);
  }

  return {
    read(from, to) {
      if (to - from > 2 * pageBytes) return readLong(from, to);
      const [first, last] = [Math.floor(from / pageBytes), Math.floor(Math.max(from, to - 1) / pageBytes)];
      const parts: Buffer[] = [];
      for (let n = first; n <= last; n += 1) {
        const start = n * pageBytes;
        parts.push(page(n).subarray(Math.max(0, from - start), Math.min(pageBytes, to - start)));
      }
      return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
    },
    bytes: () => pages.size * pageBytes,
  };
}
