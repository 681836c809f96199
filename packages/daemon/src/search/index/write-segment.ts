/** Writes a segment: a temporary file, synced and renamed, so that it is there whole or not at all. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { foldVersion } from '@zerd/core/search/fold';
import { encodePostings } from '@zerd/core/search/postings';
import { type MergeSource, mergePostings } from './merge-postings.ts';
import { openSegmentStream, openSpillStream } from './posting-streams.ts';
import type { BlockRows, FileRows } from './rows.ts';
import {
  encodeHeader,
  formatVersion,
  headerBytes,
  pageBytes,
  type SegmentHeader,
  type TableName,
  tableNames,
} from './segment-format.ts';
import { bytesOf, writeAll } from './write-spill.ts';

export interface SegmentTask {
  /** The finished file; the temporary one is `<file>.tmp`. */
  readonly file: string;
  readonly root: string;
  readonly ripgrep: string;
  readonly blockBytes: number;
  readonly sources: readonly SourceFile[];
  readonly files: FileRows;
  readonly blocks: BlockRows;
  /** Of the files, in their order, each ended by a NUL. */
  readonly paths: Uint8Array;
  readonly pathEnds: Uint32Array;
  /** The files in path order. */
  readonly order: Uint32Array;
  /** Paths of older segments that are no more, each ended by a NUL. */
  readonly removed: Uint8Array;
}

export interface SourceFile {
  readonly kind: 'spill' | 'segment';
  readonly file: string;
  readonly base: number;
  readonly numbers?: Uint32Array;
}

export interface WrittenSegment {
  readonly bytes: number;
  readonly headerCrc: number;
}

export function writeSegment(task: SegmentTask): WrittenSegment {
  const temporary = `${task.file}.tmp`;
  const fd = openSync(temporary, 'w', 0o600);
  try {
    const written = writeParts(fd, task);
    fsyncSync(fd);
    renameSync(temporary, task.file);
    syncFolder(dirname(task.file));
    return written;
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
}

function writeParts(fd: number, task: SegmentTask): WrittenSegment {
  writeAll(fd, Buffer.alloc(headerBytes));
  const pages = createPageSums();
  const lists = merged(task.sources, (bytes) => {
    pages.add(bytes);
    writeAll(fd, bytes);
  });
  const postingsBytes = pages.total();
  const tablesAt = Math.ceil((headerBytes + postingsBytes) / 8) * 8;
  writeAll(fd, Buffer.alloc(tablesAt - headerBytes - postingsBytes));
  const tables = layTables(task, lists, pages.sums());
  writeAll(fd, tables.bytes);
  const header: SegmentHeader = {
    format: formatVersion,
    fold: foldVersion,
    ripgrep: task.ripgrep,
    root: task.root,
    blockBytes: task.blockBytes,
    postingsBytes,
    tablesAt,
    tablesBytes: tables.bytes.length,
    tablesCrc: crc32(tables.bytes),
    tables: tables.places,
  };
  const head = encodeHeader(header);
  writeSync(fd, head, 0, head.length, 0);
  return { bytes: tablesAt + tables.bytes.length, headerCrc: head.readUInt32LE(12) };
}

function merged(sources: readonly SourceFile[], write: (bytes: Buffer) => void) {
  const opened: MergeSource[] = [];
  try {
    for (const { kind, file, base, numbers } of sources) {
      const stream = kind === 'spill' ? openSpillStream(file) : openSegmentStream(file);
      opened.push({ stream, base, ...(numbers === undefined ? {} : { numbers }) });
    }
    return mergePostings(opened, write);
  } finally {
    for (const { stream } of opened) stream.close();
  }
}

/** A checksum for each page of what flows by. */
function createPageSums() {
  const sums: number[] = [];
  let [total, sum] = [0, 0];
  return {
    add(bytes: Buffer): void {
      for (let at = 0; at < bytes.length; ) {
        const part = bytes.subarray(at, at + pageBytes - (total % pageBytes));
        sum = crc32(part, sum);
        total += part.length;
        at += part.length;
        if (total % pageBytes === 0) {
          sums.push(sum);
          sum = 0;
        }
      }
    },
    total: () => total,
    sums: () => Uint32Array.from(total % pageBytes === 0 ? sums : [...sums, sum]),
  };
}

function layTables(task: SegmentTask, lists: { keys: Uint32Array; ends: Uint32Array }, pages: Uint32Array) {
  const { files, blocks } = task;
  const columns: Record<TableName, Uint32Array | Float64Array | Uint8Array> = {
    keys: encodePostings(lists.keys),
    ends: encodePostings(lists.ends),
    pages,
    sizes: files.sizes,
    times: files.times,
    inodes: files.inodes,
    fileFlags: files.flags,
    blockCounts: files.blockCounts,
    offsets: blocks.offsets,
    lengths: blocks.lengths,
    firstLines: blocks.firstLines,
    blockFlags: blocks.flags,
    order: task.order,
    pathEnds: task.pathEnds,
    paths: task.paths,
    removed: task.removed,
  };
  const places = {} as Record<TableName, [number, number]>;
  const parts: Buffer[] = [];
  let at = 0;
  for (const name of tableNames) {
    const bytes = bytesOf(columns[name]);
    places[name] = [at, bytes.length];
    const padding = (8 - (bytes.length % 8)) % 8;
    parts.push(bytes, Buffer.alloc(padding));
    at += bytes.length + padding;
  }
  return { bytes: Buffer.concat(parts), places };
}

export function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
