/** A segment as it is used: its tables in memory, its postings on disk. Invariant: nothing in it ever changes but `dead`. */
import { closeSync } from 'node:fs';
import { decodePostings, unpackPostings } from '@zerd/core/search/postings';
import type { IndexedFile, PathKey } from './contract.ts';
import { byPath, endedByNul, keyOfBytes } from './path-key.ts';
import { createPostingPages } from './posting-pages.ts';
import { type BlockRows, type FileRows, fileFlags, specialBlock } from './rows.ts';
import { openSegmentFile, type SegmentHeader, type TableName } from './segment-format.ts';

export interface Segment {
  readonly file: string;
  readonly bytes: number;
  readonly headerCrc: number;
  readonly header: SegmentHeader;
  readonly fileCount: number;
  readonly files: FileRows;
  readonly blocks: BlockRows;
  /** The first block of each file, and one number more. */
  readonly firstBlocks: Uint32Array;
  /** The files in path order, and the place of each file in it. */
  readonly order: Uint32Array;
  readonly ranks: Uint32Array;
  /** Files that ripgrep must look at whatever is searched for. */
  readonly foreign: readonly number[];
  /** Files that are searched up to a NUL only. */
  readonly cut: readonly number[];
  readonly specials: Uint32Array;
  /** Paths that older segments still have and that are no more. */
  readonly removed: readonly PathKey[];
  /** 1: a later segment or a removal stands for the file. */
  readonly dead: Uint8Array;
  readonly tablesBytes: number;
  path(file: number): PathKey;
  find(path: PathKey): number | undefined;
  /** Whether a file that still stands lies below a folder ('src/'). */
  hasBelow(folder: string): boolean;
  isBinary(file: number): boolean;
  isForeign(file: number): boolean;
  fileAt(file: number): IndexedFile;
  fileOfBlock(block: number): number;
  listSize(key: number): number;
  readList(key: number): Uint32Array;
  memoryBytes(): number;
  close(): void;
}

export function openSegment(file: string): Segment {
  const { fd, header, headerCrc, bytes, tables } = openSegmentFile(file);
  const place = (name: TableName): [number, number] => {
    const [at, length] = header.tables[name];
    return [tables.byteOffset + at, length];
  };
  const u32 = (name: TableName) => new Uint32Array(tables.buffer, place(name)[0], place(name)[1] / 4);
  const f64 = (name: TableName) => new Float64Array(tables.buffer, place(name)[0], place(name)[1] / 8);
  const u8 = (name: TableName) => new Uint8Array(tables.buffer, ...place(name));
  const files: FileRows = {
    sizes: f64('sizes'),
    times: f64('times'),
    inodes: f64('inodes'),
    flags: u8('fileFlags'),
    blockCounts: u32('blockCounts'),
  };
  const blocks: BlockRows = {
    offsets: u32('offsets'),
    lengths: u32('lengths'),
    firstLines: u32('firstLines'),
    flags: u8('blockFlags'),
  };
  const [keys, ends] = [decodePostings(u8('keys')), decodePostings(u8('ends'))];
  const [order, pathEnds] = [u32('order'), u32('pathEnds')];
  const paths = Buffer.from(tables.buffer, ...place('paths'));
  const postings = createPostingPages(fd, header.postingsBytes, u32('pages'));
  const fileCount = files.flags.length;
  const dead = new Uint8Array(fileCount);
  const firstBlocks = sums(files.blockCounts);
  const known: PathKey[] = [];
  const path = (n: number) => {
    known[n] ??= keyOfBytes(paths.subarray(n === 0 ? 0 : pathEnds[n - 1], (pathEnds[n] ?? 1) - 1));
    return known[n] ?? '';
  };
  const place0 = (key: number) => search(keys.length, (n) => (keys[n] ?? 0) >= key);
  const range = (key: number): [number, number] => {
    const n = place0(key);
    return keys[n] === key ? [n === 0 ? 0 : (ends[n - 1] ?? 0), ends[n] ?? 0] : [0, 0];
  };
  return {
    file,
    bytes,
    headerCrc,
    header,
    fileCount,
    files,
    blocks,
    firstBlocks,
    order,
    ranks: ranksOf(order),
    foreign: flagged(files.flags, fileFlags.foreign),
    cut: flagged(files.flags, fileFlags.cut),
    specials: Uint32Array.from(flagged(blocks.flags, specialBlock)),
    removed: endedByNul(Buffer.from(tables.buffer, ...place('removed'))).map(keyOfBytes),
    dead,
    tablesBytes: tables.length,
    path,
    find(wanted) {
      const n = search(fileCount, (rank) => byPath(path(order[rank] ?? 0), wanted) >= 0);
      const found = order[n];
      return found !== undefined && path(found) === wanted ? found : undefined;
    },
    hasBelow(folder) {
      const first = search(fileCount, (rank) => byPath(path(order[rank] ?? 0), folder) >= 0);
      // A removed file may be the last of its folder: go on to one that stands.
      for (let rank = first; rank < fileCount; rank += 1) {
        if (!path(order[rank] ?? 0).startsWith(folder)) return false;
        if (dead[order[rank] ?? 0] !== 1) return true;
      }
      return false;
    },
    isBinary: (n) => ((files.flags[n] ?? 0) & fileFlags.binary) !== 0,
    isForeign: (n) => ((files.flags[n] ?? 0) & fileFlags.foreign) !== 0,
    fileAt: (n) => ({
      path: path(n),
      size: files.sizes[n] ?? 0,
      changedMs: files.times[n] ?? 0,
      ino: files.inodes[n] ?? 0,
      racy: ((files.flags[n] ?? 0) & fileFlags.racy) !== 0,
    }),
    fileOfBlock: (block) => search(fileCount, (n) => (firstBlocks[n + 1] ?? 0) > block),
    listSize(key) {
      const [from, to] = range(key);
      return to - from;
    },
    readList(key) {
      const [from, to] = range(key);
      const docs = new Uint32Array(2 * (to - from));
      return from === to ? docs : docs.subarray(0, unpackPostings(postings.read(from, to), docs));
    },
    memoryBytes: () =>
      tables.length + keys.buffer.byteLength + ends.buffer.byteLength + postings.bytes() + 9 * fileCount,
    close: () => closeSync(fd),
  };
}

/** The first number for which `fits`; all behind it fit too. */
function search(count: number, fits: (n: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (fits(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function sums(counts: Uint32Array): Uint32Array {
  const starts = new Uint32Array(counts.length + 1);
  for (let n = 0; n < counts.length; n += 1) starts[n + 1] = (starts[n] ?? 0) + (counts[n] ?? 0);
  return starts;
}

function ranksOf(order: Uint32Array): Uint32Array {
  const ranks = new Uint32Array(order.length);
  for (let rank = 0; rank < order.length; rank += 1) ranks[order[rank] ?? 0] = rank;
  return ranks;
}

function flagged(flags: Uint8Array, flag: number): number[] {
  const found: number[] = [];
  for (let n = 0; n < flags.length; n += 1) if (((flags[n] ?? 0) & flag) !== 0) found.push(n);
  return found;
}
