/** Where the bytes of a candidate come from, and how its lines are numbered there. */
import { readRange } from './file-content.ts';
import type { KeptFile } from './kept-files.ts';

/** The number of the line that begins at a place of a piece; places ascend. */
export type LineOf = (at: number) => number;

export interface FileSource {
  /** Bytes of the file from a place on. Undefined: they cannot be read. */
  read(offset: number, length: number): Buffer | undefined;
  /** Of a piece that begins at `offset` of the file, in its line `firstLine`. */
  lines(piece: Buffer, offset: number, firstLine: number): LineOf;
}

const newline = 0x0a;

export function fromDisk(fd: number): FileSource {
  return {
    read: (offset, length) => readRange(fd, offset, length),
    lines: (piece, _offset, firstLine) => lineCounter(piece, firstLine),
  };
}

export function fromMemory({ bytes, ends }: KeptFile): FileSource {
  return {
    read: (offset, length) => bytes.subarray(offset, offset + length),
    lines(piece, offset, firstLine) {
      let lineOf: LineOf | undefined;
      return (at) => {
        lineOf ??= lookUp(ends(), offset) ?? lineCounter(piece, firstLine);
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

export function lineCounter(piece: Buffer, firstLine: number): LineOf {
  let [line, counted] = [firstLine, 0];
  return (at) => {
    for (let next = piece.indexOf(newline, counted); next >= 0 && next < at; next = piece.indexOf(newline, counted)) {
      line += 1;
      counted = next + 1;
    }
    return line;
  };
}
