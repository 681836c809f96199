/**
 * How a segment lies on disk: a header of fixed size, the postings, and the tables behind them. Invariant: a file that
 * opens is whole: the header and the tables are checked at opening, each page of postings before its first use.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { foldVersion } from '@zerd/core/search/fold';

export const formatVersion = 5;
export const headerBytes = 8_192;
export const pageBytes = 16_384;
const magic = 'ZERDIDX\n';

/** Tables in the order in which they lie; each begins at a multiple of eight. Keys and ends are written as postings are. */
export const tableNames = [
  'keys',
  'ends',
  'pages',
  'sizes',
  'times',
  'inodes',
  'fileFlags',
  'blockCounts',
  'offsets',
  'lengths',
  'firstLines',
  'blockFlags',
  'order',
  'pathEnds',
  'paths',
  'removed',
] as const;

export type TableName = (typeof tableNames)[number];

export interface SegmentHeader {
  readonly format: number;
  readonly fold: number;
  readonly ripgrep: string;
  readonly root: string;
  readonly blockBytes: number;
  readonly postingsBytes: number;
  readonly tablesAt: number;
  readonly tablesBytes: number;
  readonly tablesCrc: number;
  /** Where each table begins behind `tablesAt`, and its bytes. */
  readonly tables: Readonly<Record<TableName, readonly [number, number]>>;
}

export function encodeHeader(header: SegmentHeader): Buffer {
  const json = Buffer.from(JSON.stringify(header));
  const block = Buffer.alloc(headerBytes);
  block.write(magic, 0, 'latin1');
  block.writeUInt32LE(json.length, 8);
  block.writeUInt32LE(crc32(json), 12);
  if (json.length > headerBytes - 16) throw new RangeError('the header does not fit');
  json.copy(block, 16);
  return block;
}

export interface OpenedSegment {
  readonly fd: number;
  readonly header: SegmentHeader;
  readonly headerCrc: number;
  readonly bytes: number;
  readonly tables: Buffer;
}

/** Throws when the file is missing, is of another version or is not what was written. */
export function openSegmentFile(file: string): OpenedSegment {
  const fd = openSync(file, 'r');
  try {
    const head = readExactly(fd, 0, headerBytes);
    const length = head.readUInt32LE(8);
    const json = head.subarray(16, 16 + length);
    const headerCrc = head.readUInt32LE(12);
    if (head.toString('latin1', 0, 8) !== magic || crc32(json) !== headerCrc) throw new Error('no header of an index');
    const header = headerOf(json);
    const tables = readExactly(fd, header.tablesAt, header.tablesBytes);
    if (crc32(tables) !== header.tablesCrc) throw new Error('the tables are damaged');
    return { fd, header, headerCrc, bytes: fstatSync(fd).size, tables };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Its checksum was right: it is what was written, by this version or by another. */
function headerOf(json: Buffer): SegmentHeader {
  const header = JSON.parse(json.toString('utf8')) as SegmentHeader;
  if (header.format !== formatVersion || header.fold !== foldVersion) throw new Error('it is of another version');
  return header;
}

/** Memory of its own, so that columns of eight bytes are aligned. */
export function readExactly(fd: number, position: number, length: number): Buffer {
  const bytes = Buffer.from(new ArrayBuffer(length));
  let done = 0;
  while (done < length) {
    const count = readSync(fd, bytes, done, length - done, position + done);
    if (count === 0) throw new Error('the file is shorter than it says');
    done += count;
  }
  return bytes;
}
