/** The tables of a segment while they are made: one row for each file, one for each block of lines. */

/**
 * `marked`: begins with a byte order mark; `long`: has a line of more than `longLine` bytes; `cut`: is searched up to some
 * place before its first NUL, and has no blocks behind it.
 */
export const fileFlags = { binary: 1, wide: 2, foreign: 4, racy: 8, marked: 16, long: 32, cut: 64 } as const;

export const longLine = 4_096;

/** A block with characters whose small letter is ASCII. */
export const specialBlock = 1;

/** Columns of equal length. */
export interface FileRows {
  readonly sizes: Float64Array;
  readonly times: Float64Array;
  readonly inodes: Float64Array;
  readonly flags: Uint8Array;
  /** How many blocks the file has. */
  readonly blockCounts: Uint32Array;
}

export interface BlockRows {
  readonly offsets: Uint32Array;
  readonly lengths: Uint32Array;
  /** The number of its first line. */
  readonly firstLines: Uint32Array;
  readonly flags: Uint8Array;
}

/** What a worker has made of a run of files. */
export interface ChunkRows {
  /** Those of the chunk's paths that exist, as indices. */
  readonly present: Uint32Array;
  readonly files: FileRows;
  readonly blocks: BlockRows;
  /** Files with postings for blocks of this chunk, in their order. */
  readonly spills: readonly SpillFile[];
}

export interface SpillFile {
  readonly file: string;
  /** Its documents are numbered from 0. */
  readonly blocks: number;
}
