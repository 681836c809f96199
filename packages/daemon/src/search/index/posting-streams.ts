/** Reads the lists of a spill or of a segment one behind the other, for merging. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { decodeInto, decodePostings, unpackPostings } from '@zerd/core/search/postings';
import { headerBytes, openSegmentFile, readExactly } from './segment-format.ts';
import { spillTail } from './write-spill.ts';

export interface PostingStream {
  readonly keys: Uint32Array;
  readonly ends: Uint32Array;
  /** The bytes of the next list, which ends at `end`; valid until the next call. */
  next(end: number): Uint8Array;
  /** The documents of a list; `into` must have room for two a byte. Gives how many there are. */
  decode(bytes: Uint8Array, into: Uint32Array): number;
  close(): void;
}

export function openSpillStream(file: string): PostingStream {
  const fd = openSync(file, 'r');
  const size = fstatSync(fd).size;
  const [count = 0, postings = 0] = new Float64Array(readExactly(fd, size - spillTail, spillTail).buffer);
  const columns = readExactly(fd, postings, 8 * count).buffer;
  const column = (n: number) => new Uint32Array(columns, 4 * count * n, count);
  return { keys: column(0), ends: column(1), decode: decodeInto, ...reader(fd, 0), close: () => closeSync(fd) };
}

export function openSegmentStream(file: string): PostingStream {
  const { fd, header, tables } = openSegmentFile(file);
  const column = (name: 'keys' | 'ends') => {
    const [at, bytes] = header.tables[name];
    return decodePostings(tables.subarray(at, at + bytes));
  };
  return {
    keys: column('keys'),
    ends: column('ends'),
    decode: unpackPostings,
    ...reader(fd, headerBytes),
    close: () => closeSync(fd),
  };
}

const windowBytes = 262_144;

function reader(fd: number, base: number) {
  let window = Buffer.allocUnsafeSlow(windowBytes);
  let [start, filled, at] = [0, 0, 0];
  function fill(length: number): void {
    if (length > window.length) window = Buffer.allocUnsafeSlow(2 * length);
    start = at;
    filled = 0;
    while (filled < length) {
      const count = readSync(fd, window, filled, window.length - filled, base + start + filled);
      if (count === 0) throw new Error('the postings end too soon');
      filled += count;
    }
  }
  return {
    next(end: number): Uint8Array {
      if (end > start + filled) fill(end - at);
      const list = window.subarray(at - start, end - start);
      at = end;
      return list;
    },
  };
}
