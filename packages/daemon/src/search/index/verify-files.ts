/**
 * Looks into candidate files and finds their matching lines: the work of one worker. A file that is not as it was indexed
 * is read whole. Invariant: files come in the order of the task, and what is undecided is named, never left out.
 */
import { closeSync } from 'node:fs';
import type { LineMatcher } from '@zerd/core/search/plan-search';
import { type RipgrepLine, shownLine } from '../../processes/ripgrep-messages.ts';
import type { PathKey } from './contract.ts';
import { contentOf, hasLineOver, openFile, readRange } from './file-content.ts';
import { createScan, endOfLine, needsShortLines, type Scan } from './match-lines.ts';
import { shownPath } from './path-key.ts';
import { fileFlags, longLine } from './rows.ts';

/** Columns, one row for each file. */
export interface VerifyTask {
  readonly root: string;
  readonly matcher: LineMatcher;
  readonly paths: readonly PathKey[];
  /** Size, time and inode of each file when it was indexed; NaN: never, it is read whole. */
  readonly stamps: Float64Array;
  readonly flags: Uint8Array;
  readonly blockCounts: Uint32Array;
  /** Offset, length and first line of the blocks, file by file. */
  readonly blocks: Uint32Array;
  /** No line beyond these is wanted. */
  readonly hits: number;
  readonly bytes: number;
  readonly context: number;
}

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
}

export interface VerifyResult {
  readonly found: readonly FoundFile[];
  /** Rows that ripgrep must look at. */
  readonly undecided: readonly number[];
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

export function verifyFiles(task: VerifyTask): VerifyResult {
  const scan = createScan(task.matcher);
  const want = { hits: task.hits, bytes: task.bytes };
  const found: FoundFile[] = [];
  const undecided: number[] = [];
  let block = 0;
  task.paths.forEach((path, row) => {
    const blocks = task.blocks.subarray(3 * block, 3 * (block + (task.blockCounts[row] ?? 0)));
    block += task.blockCounts[row] ?? 0;
    const file = verifyFile({ task, row, path, blocks, scan, want });
    if (file === 'undecided') undecided.push(row);
    else if (file.matches > 0) found.push(file);
  });
  return { found, undecided };
}

interface One {
  readonly task: VerifyTask;
  readonly row: number;
  readonly path: PathKey;
  readonly blocks: Uint32Array;
  readonly scan: Scan;
  readonly want: Want;
}

function verifyFile(one: One): FoundFile | 'undecided' {
  const { task, row, path } = one;
  const opened = openFile(task.root, path);
  if (opened === 'unreadable') return 'undecided';
  const nothing = { row, matches: 0, lines: [] };
  if (opened === undefined) return nothing;
  try {
    if (opened.stamp === undefined) return nothing;
    const [size, time, inode] = task.stamps.subarray(3 * row, 3 * row + 3);
    const isSame = opened.stamp.size === size && opened.stamp.mtimeMs === time && opened.stamp.ino === inode;
    const flags = task.flags[row] ?? 0;
    if (isSame && needsShortLines(task.matcher) && (flags & fileFlags.long) !== 0) return 'undecided';
    const isPlain = isSame && (flags & fileFlags.wide) === 0;
    return isPlain ? verifyBlocks(one, opened.fd, size) : verifyWhole(one, opened);
  } finally {
    closeSync(opened.fd);
  }
}

function verifyWhole(one: One, opened: { fd: number; stamp: Parameters<typeof contentOf>[1] | undefined }) {
  const nothing = { row: one.row, matches: 0, lines: [] };
  if (opened.stamp === undefined) return nothing;
  const { kind, bytes, start } = contentOf(opened.fd, opened.stamp);
  if (kind === 'foreign') return 'undecided';
  if (kind === 'binary') return nothing;
  const piece = bytes.subarray(start);
  if (needsShortLines(one.task.matcher) && hasLineOver(piece, longLine)) return 'undecided';
  const file = createFoundFile(one, piece);
  return piece.length > 0 && file.scan(piece, 0, 1) === 'undecided' ? 'undecided' : file.end();
}

function verifyBlocks(one: One, fd: number, size: number): FoundFile | 'undecided' {
  const { blocks, task, want } = one;
  const isMarked = ((task.flags[one.row] ?? 0) & fileFlags.marked) !== 0;
  const start = isMarked ? 3 : 0;
  // Context may lie in any block.
  const whole = task.context > 0 && want.hits > 0 ? readRange(fd, start, size - start) : undefined;
  const file = createFoundFile(one, whole);
  for (let i = 0; i < blocks.length; ) {
    const [offset = 0, , line = 1] = blocks.subarray(i, i + 3);
    const end = endOfRun(blocks, i);
    const last = blocks.subarray(end - 3, end);
    const length = (last[0] ?? 0) + (last[1] ?? 0) - offset;
    const piece = whole?.subarray(offset - start, offset - start + length) ?? readRange(fd, offset, length);
    if (piece === undefined || file.scan(piece, offset - start, line) === 'undecided') return 'undecided';
    i = end;
  }
  return file.end();
}

/** Behind the last block that follows without a gap. */
function endOfRun(blocks: Uint32Array, begin: number): number {
  let end = begin + 3;
  while (end < blocks.length && blocks[end] === (blocks[end - 3] ?? 0) + (blocks[end - 2] ?? 0)) end += 3;
  return end;
}

function createFoundFile({ task, row, path, scan, want }: One, whole: Buffer | undefined) {
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
    scan(piece: Buffer, offset: number, firstLine: number): 'done' | 'undecided' {
      const count = lineCounter(piece, firstLine);
      return scan(piece, (from, to, matchAt) => {
        matches += 1;
        if (want.hits <= 0 || want.bytes <= 0) return;
        const line = count(from);
        if (task.context === 0) add(shownLine(piece.subarray(from, to), line, matchAt), true);
        else if (places.length < task.hits) places.push({ from: offset + from, to: offset + to, matchAt, line });
      });
    },
    end(): FoundFile {
      if (whole !== undefined && places.length > 0) addWithContext(whole, places, task.context, want, add);
      return { row, matches, lines };
    },
  };
}

/** Gives the number of the line that begins at a place; places ascend. */
function lineCounter(piece: Buffer, firstLine: number): (at: number) => number {
  let [line, counted] = [firstLine, 0];
  return (at) => {
    for (let next = piece.indexOf(0x0a, counted); next >= 0 && next < at; next = piece.indexOf(0x0a, counted)) {
      line += 1;
      counted = next + 1;
    }
    return line;
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
