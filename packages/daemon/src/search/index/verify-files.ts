/**
 * Looks into candidate files and finds their matching lines: the work of one worker. A file that is not as it was indexed
 * is read whole. Invariant: files come in the order of the task, and what is undecided is named, never left out.
 */
import { closeSync } from 'node:fs';
import type { LineMatcher } from '@zerd/core/search/plan-search';
import { type RipgrepLine, shownLine } from '../../processes/ripgrep-messages.ts';
import type { FileStamp, PathKey } from './contract.ts';
import { contentOf, hasLineOver, openFile } from './file-content.ts';
import { columns, type FileSource, fromDisk, fromMemory, type LineOf, lineCounter, type Run } from './file-source.ts';
import type { KeptFile, KeptFiles } from './kept-files.ts';
import { createScan, endOfLine, needsShortLines, type OnLine, type Scan } from './match-lines.ts';
import { shownPath } from './path-key.ts';
import { fileFlags, longLine } from './rows.ts';
import { isSameStamp } from './stamps.ts';

/** Columns, one row for each file. */
export interface VerifyTask {
  readonly root: string;
  readonly matcher: LineMatcher;
  readonly paths: readonly PathKey[];
  /** Size, time and inode of each file when it was indexed; NaN: never, it is read whole. */
  readonly stamps: Float64Array;
  readonly flags: Uint8Array;
  readonly blockCounts: Uint32Array;
  /** Offset, length, first line and possible texts (as bits) of the blocks, file by file. */
  readonly blocks: Uint32Array;
  /** After so many lines no other file is looked into. */
  readonly enough: number;
  /** No line beyond these is wanted. */
  readonly hits: number;
  readonly bytes: number;
  readonly context: number;
}

/** Any text of the matcher may be there. */
export const anyText = 0xffff;

/** Of a file that is not indexed as it is. */
const oneBlock: Run = { blocks: Uint32Array.of(0, 0, 1, anyText), begin: 0, end: columns };

export interface FoundLine {
  readonly line: RipgrepLine;
  readonly isMatch: boolean;
}

export interface FoundFile {
  /** The row of the task. */
  readonly row: number;
  readonly matches: number;
  /** As far as they were wanted. */
  readonly lines: readonly FoundLine[];
  /** It was searched up to its first NUL only. */
  readonly cut: boolean;
}

export interface VerifyResult {
  /** So many of the first rows were looked into. */
  readonly rows: number;
  readonly found: readonly FoundFile[];
  /** Rows that ripgrep must look at. */
  readonly undecided: readonly number[];
  /** One of these holds a NUL: ripgrep searches it otherwise when it is named, so that only the tree is to be searched. */
  readonly scan: boolean;
}

/** A match by its bytes in a piece of text. */
interface Place {
  readonly from: number;
  readonly to: number;
  readonly matchAt: number;
}

/** What is wanted still. */
interface Want {
  hits: number;
  bytes: number;
}

/** `kept`: contents in memory; without it every file is read. */
export function verifyFiles(task: VerifyTask, kept?: KeptFiles): VerifyResult {
  const scan = createScan(task.matcher);
  const want = { hits: task.hits, bytes: task.bytes };
  const found: FoundFile[] = [];
  const undecided: number[] = [];
  let [row, lines, block, scans] = [0, 0, 0, false];
  for (; row < task.paths.length && lines < task.enough; row += 1) {
    const path = task.paths[row] ?? '';
    const blocks = task.blocks.subarray(columns * block, columns * (block + (task.blockCounts[row] ?? 0)));
    block += task.blockCounts[row] ?? 0;
    const file = verifyFile({ task, row, path, blocks, scan, want, kept });
    if (file === 'undecided') undecided.push(row);
    else if (file === 'scan') scans = true;
    else if (file.matches > 0) {
      found.push(file);
      lines += file.lines.length;
    }
  }
  return { rows: row, found, undecided, scan: scans };
}

interface One {
  readonly task: VerifyTask;
  readonly row: number;
  readonly path: PathKey;
  readonly blocks: Uint32Array;
  readonly scan: Scan;
  readonly want: Want;
  readonly kept: KeptFiles | undefined;
}

/** 'scan': undecided, and it holds a NUL. */
type FileVerdict = FoundFile | 'undecided' | 'scan';

function verifyFile(one: One): FileVerdict {
  const { task, row, path } = one;
  const indexed = stampIn(task, row);
  const flags = task.flags[row] ?? 0;
  const isCut = (flags & fileFlags.cut) !== 0;
  const isPlain = (flags & fileFlags.wide) === 0;
  const isLong = needsShortLines(task.matcher) && (flags & fileFlags.long) !== 0;
  const kept = isPlain && !isLong && indexed !== undefined ? keptFile(one, indexed) : undefined;
  if (kept !== undefined) return verifyBlocks(one, fromMemory(kept), kept.bytes.length);
  const opened = openFile(task.root, path);
  if (opened === 'unreadable') return 'undecided';
  const nothing = { row, matches: 0, lines: [], cut: false };
  if (opened === undefined) return nothing;
  try {
    if (opened.stamp === undefined) return nothing;
    const isSame = indexed !== undefined && isSameStamp(opened.stamp, indexed);
    if (isSame && isLong) return isCut ? 'scan' : 'undecided';
    return isSame && isPlain ? verifyBlocks(one, fromDisk(opened.fd), indexed.size) : verifyWhole(one, opened);
  } finally {
    closeSync(opened.fd);
  }
}

function keptFile({ kept, task, path, blocks }: One, indexed: FileStamp): KeptFile | undefined {
  if (kept === undefined) return undefined;
  let wanted = 0;
  for (let i = 1; i < blocks.length; i += columns) wanted += blocks[i] ?? 0;
  return kept.read(task.root, path, indexed, wanted);
}

/** Undefined: it is not indexed as it is. */
function stampIn({ stamps }: VerifyTask, row: number): FileStamp | undefined {
  const at = 3 * row;
  const [size, changedMs, ino] = [stamps[at] ?? Number.NaN, stamps[at + 1] ?? 0, stamps[at + 2] ?? 0];
  return Number.isNaN(size) ? undefined : { size, changedMs, ino };
}

function verifyWhole(one: One, opened: { fd: number; stamp: Parameters<typeof contentOf>[1] | undefined }) {
  const nothing = { row: one.row, matches: 0, lines: [], cut: false };
  if (opened.stamp === undefined) return nothing;
  const { kind, bytes, start, cut } = contentOf(opened.fd, opened.stamp);
  const undecided = cut ? 'scan' : 'undecided';
  // With context ripgrep keeps lines in its buffer, and stops at another place.
  if (kind === 'foreign' || (cut && one.task.context > 0)) return undecided;
  if (kind === 'binary') return nothing;
  const piece = bytes.subarray(start);
  if (needsShortLines(one.task.matcher) && hasLineOver(piece, longLine)) return undecided;
  const file = createFoundFile(one, piece, cut);
  const isUndecided = piece.length > 0 && file.scan(piece, 0, lineCounter(piece, oneBlock)) === 'undecided';
  return isUndecided ? undecided : file.end();
}

function verifyBlocks(one: One, source: FileSource, size: number): FileVerdict {
  const { blocks, task, want } = one;
  const flags = task.flags[one.row] ?? 0;
  const isMarked = (flags & fileFlags.marked) !== 0;
  const isCut = (flags & fileFlags.cut) !== 0;
  const start = isMarked ? 3 : 0;
  // Context may lie in any block.
  const whole = task.context > 0 && want.hits > 0 ? source.read(start, size - start) : undefined;
  const file = createFoundFile(one, whole, isCut);
  for (let i = 0; i < blocks.length; ) {
    const offset = blocks[i] ?? 0;
    const end = endOfRun(blocks, i);
    const last = end - columns;
    const length = (blocks[last] ?? 0) + (blocks[last + 1] ?? 0) - offset;
    const piece = whole?.subarray(offset - start, offset - start + length) ?? source.read(offset, length);
    const isJudged =
      piece !== undefined &&
      file.scan(piece, offset - start, source.lines(piece, { blocks, begin: i, end }), blocks[i + 3]) === 'done';
    if (!isJudged) return isCut ? 'scan' : 'undecided';
    i = end;
  }
  return file.end();
}

/** Behind the last block that follows without a gap and may hold the same texts. */
function endOfRun(blocks: Uint32Array, begin: number): number {
  let end = begin + columns;
  while (end < blocks.length && isNext(blocks, end - columns, end)) end += columns;
  return end;
}

function isNext(blocks: Uint32Array, at: number, next: number): boolean {
  return blocks[next] === (blocks[at] ?? 0) + (blocks[at + 1] ?? 0) && blocks[next + 3] === blocks[at + 3];
}

function createFoundFile({ task, row, path, scan, want }: One, whole: Buffer | undefined, cut: boolean) {
  const lines: FoundLine[] = [];
  const places: (Place & { readonly line: number })[] = [];
  const pathLength = shownPath(path).length;
  let matches = 0;

  function add(line: RipgrepLine, isMatch: boolean): void {
    lines.push({ line, isMatch });
    want.hits -= 1;
    want.bytes -= line.text.length + pathLength + 16;
  }

  return {
    /** `offset` is that of the piece in `whole`. */
    scan(piece: Buffer, offset: number, lineOf: LineOf, texts?: number): 'done' | 'undecided' {
      const onLine: OnLine = (from, to, matchAt) => {
        matches += 1;
        if (want.hits <= 0 || want.bytes <= 0) return;
        const line = lineOf(from);
        if (task.context === 0) add(shownLine(piece.subarray(from, to), line, matchAt), true);
        else if (places.length < task.hits) places.push({ from: offset + from, to: offset + to, matchAt, line });
      };
      return scan(piece, onLine, texts);
    },
    end(): FoundFile {
      if (whole !== undefined && places.length > 0) addWithContext(whole, places, task.context, want, add);
      return { row, matches, lines, cut };
    },
  };
}

/** Each line once, in order, as ripgrep gives them. */
function addWithContext(
  whole: Buffer,
  places: readonly (Place & { readonly line: number })[],
  context: number,
  want: Want,
  add: (line: RipgrepLine, isMatch: boolean) => void,
): void {
  /** Where the next line that is not given yet begins. */
  let open = 0;
  places.forEach((place, i) => {
    if (want.hits <= 0 || want.bytes <= 0) return;
    let from = place.from;
    let line = place.line;
    for (let n = 0; n < context && from > open; n += 1, line -= 1) from = startOfLineBefore(whole, from);
    for (; from < place.from; line += 1) from = give(from, line);
    add(shownLine(whole.subarray(place.from, place.to), place.line, place.matchAt), true);
    open = Math.min(place.to + 1, whole.length);
    const next = places[i + 1]?.from ?? whole.length;
    for (let n = 1; n <= context && open < next; n += 1) open = give(open, place.line + n);
  });

  function give(from: number, line: number): number {
    const to = endOfLine(whole, from);
    add(shownLine(whole.subarray(from, to), line, undefined), false);
    return Math.min(to + 1, whole.length);
  }
}

function startOfLineBefore(bytes: Buffer, from: number): number {
  return from < 2 ? 0 : bytes.lastIndexOf(0x0a, from - 2) + 1;
}
