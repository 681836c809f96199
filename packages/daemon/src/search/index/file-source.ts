/** Where the bytes of a candidate come from, and how its lines are numbered there. */
import { readRange } from './file-content.ts';
import type { KeptFile } from './kept-files.ts';

/** The number of the line that begins at a place of a piece; places ascend. */
export type LineOf = (at: number) => number;

/** Blocks that follow one another without a gap: rows `begin` to `end` of `blocks`. */
export interface Run {
  /** Offset in the file, length, first line and possible texts of each. */
  readonly blocks: Uint32Array;
  readonly begin: number;
  readonly end: number;
}

/** Numbers in a block's row. */
export const columns = 4;

export interface FileSource {
  /** Bytes of the file from a place on. Undefined: they cannot be read. */
  read(offset: number, length: number): Buffer | undefined;
  /** Of the piece that a run is. */
  lines(piece: Buffer, run: Run): LineOf;
}

const newline = 0x0a;

export function fromDisk(fd: number): FileSource {
  return {
    read: (offset, length) => readRange(fd, offset, length),
    lines: lineCounter,
  };
}

export function fromMemory({ bytes, ends }: KeptFile): FileSource {
  return {
    read: (offset, length) => bytes.subarray(offset, offset + length),
    lines(piece, run) {
      let lineOf: LineOf | undefined;
      return (at) => {
        lineOf ??= lookUp(ends(), run.blocks[run.begin] ?? 0) ?? lineCounter(piece, run);
        return lineOf(at);
      };
    },
  };
}

function lookUp(ends: Uint32Array | undefined, offset: number): LineOf | undefined {
  return ends === undefined ? undefined : (at) => 1 + countBefore(ends, offset + at);
}

/** How many of the ascending places lie before one. */
function countBefore(places: Uint32Array, at: number): number {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((places[middle] ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Counts from the beginning of the block that holds the place: its line is known. */
export function lineCounter(piece: Buffer, { blocks, begin, end }: Run): LineOf {
  const offset = blocks[begin] ?? 0;
  let [line, counted, next] = [1, 0, begin];
  return (at) => {
    for (; next < end && (blocks[next] ?? 0) - offset <= at; next += columns) {
      counted = (blocks[next] ?? 0) - offset;
      line = blocks[next + 2] ?? 1;
    }
    for (let next = piece.indexOf(newline, counted); next >= 0 && next < at; next = piece.indexOf(newline, counted)) {
      line += 1;
      counted = next + 1;
    }
    return line;
  };
}
