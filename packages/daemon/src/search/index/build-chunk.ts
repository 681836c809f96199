/** Reads a run of files, cuts them into blocks of whole lines and spills their trigrams: the work of one worker. */
import { type BlockFacts, createTrigramCollector, type TrigramCollector } from './extract-trigrams.ts';
import { type FileContent, readContent, releaseRoom } from './file-content.ts';
import { type PackedPaths, unpackPaths } from './packed-paths.ts';
import {
  type BlockRows,
  type ChunkRows,
  type FileRows,
  fileFlags,
  longLine,
  type SpillFile,
  specialBlock,
} from './rows.ts';
import { nextSpecial, withoutSpecials } from './special-letters.ts';
import { writeSpill } from './write-spill.ts';

export interface ChunkTask {
  readonly root: string;
  readonly paths: PackedPaths;
  /** Spills are `<prefix>.<n>`. */
  readonly prefix: string;
  readonly blockBytes: number;
  readonly spillPairs: number;
  /** The time by the wall, to tell what was written just now. */
  readonly now: number;
}

export function buildChunk(task: ChunkTask, onProgress: (files: number, bytes: number) => void): ChunkRows {
  const made = emptyRows();
  const spiller = createSpiller(task);
  let [files, bytes] = [0, 0];
  unpackPaths(task.paths).forEach((path, index) => {
    const content = readContent(task.root, path);
    if (content !== undefined) addFile(content, index, made, spiller, task);
    files += 1;
    bytes += Math.max(0, content?.stamp.size ?? 0);
    if (files % 256 === 0) {
      onProgress(files, bytes);
      [files, bytes] = [0, 0];
    }
  });
  onProgress(files, bytes);
  releaseRoom();
  return { ...columnsOf(made), spills: spiller.end() };
}

interface Rows {
  readonly present: number[];
  readonly files: { size: number; time: number; inode: number; flags: number; blocks: number }[];
  readonly blocks: { offset: number; length: number; line: number; flags: number }[];
}

function emptyRows(): Rows {
  return { present: [], files: [], blocks: [] };
}

function addFile(content: FileContent, index: number, rows: Rows, spiller: Spiller, task: ChunkTask): void {
  const before = rows.blocks.length;
  const { stamp, kind } = content;
  let longest = 0;
  if (kind === 'text') longest = addBlocks(content, rows, spiller, task.blockBytes);
  else if (kind === 'wide') longest = addBlock(content.bytes, 0, content.bytes.length, 1, rows, spiller).longest;
  rows.present.push(index);
  rows.files.push({
    size: stamp.size,
    time: stamp.changedMs,
    inode: stamp.ino,
    flags: flagsOf(content, task.now) | (longest > longLine ? fileFlags.long : 0),
    blocks: rows.blocks.length - before,
  });
}

function flagsOf({ kind, stamp, start, cut }: FileContent, now: number): number {
  const flag = (kind === 'text' ? 0 : fileFlags[kind]) | (cut ? fileFlags.cut : 0);
  return flag | (start > 0 ? fileFlags.marked : 0) | (isRacy(stamp.changedMs, now) ? fileFlags.racy : 0);
}

/** A later write could bear the same time: within a tick of the clock, or of two seconds where times are so coarse. */
function isRacy(changedMs: number, now: number): boolean {
  return now - changedMs < (Number.isInteger(changedMs / 1_000) ? 2_000 : 50);
}

function addBlocks({ bytes, start }: FileContent, rows: Rows, spiller: Spiller, blockBytes: number): number {
  let [at, line, longest] = [start, 1, 0];
  while (at < bytes.length) {
    const newline = bytes.indexOf(0x0a, at + blockBytes - 1);
    const end = newline < 0 ? bytes.length : newline + 1;
    const facts = addBlock(bytes, at, end, line, rows, spiller);
    line += facts.newlines;
    longest = Math.max(longest, facts.longest);
    at = end;
  }
  return longest;
}

function addBlock(bytes: Buffer, from: number, to: number, line: number, rows: Rows, spiller: Spiller): BlockFacts {
  const block = bytes.subarray(from, to);
  const isSpecial = nextSpecial(block) >= 0;
  const facts = spiller.add(block, isSpecial ? withoutSpecials(block) : undefined);
  rows.blocks.push({ offset: from, length: to - from, line, flags: isSpecial ? specialBlock : 0 });
  return facts;
}

interface Spiller {
  add(block: Buffer, folded: Buffer | undefined): BlockFacts;
  end(): readonly SpillFile[];
}

function createSpiller({ prefix, spillPairs }: ChunkTask): Spiller {
  const trigrams = collectorFor(spillPairs);
  const spills: SpillFile[] = [];
  function spill(): void {
    const pairs = trigrams.pairs();
    const file = `${prefix}.${spills.length}`;
    if (pairs.ends.length > 0) {
      writeSpill(file, pairs);
      spills.push({ file, blocks: pairs.ends.length });
    }
    trigrams.clear();
  }
  return {
    add(block, folded) {
      if (!trigrams.hasRoom(block.length + (folded?.length ?? 0))) spill();
      return trigrams.add(block, folded);
    },
    end() {
      spill();
      return spills;
    },
  };
}

/** Kept between chunks: it is large. */
let kept: { readonly spillPairs: number; readonly collector: TrigramCollector } | undefined;

function collectorFor(spillPairs: number): TrigramCollector {
  if (kept?.spillPairs !== spillPairs) kept = { spillPairs, collector: createTrigramCollector(spillPairs) };
  kept.collector.clear();
  return kept.collector;
}

export function releaseCollector(): void {
  kept = undefined;
}

function columnsOf({ present, files, blocks }: Rows): Omit<ChunkRows, 'spills'> {
  const fileRows: FileRows = {
    sizes: Float64Array.from(files, ({ size }) => size),
    times: Float64Array.from(files, ({ time }) => time),
    inodes: Float64Array.from(files, ({ inode }) => inode),
    flags: Uint8Array.from(files, ({ flags }) => flags),
    blockCounts: Uint32Array.from(files, (row) => row.blocks),
  };
  const blockRows: BlockRows = {
    offsets: Uint32Array.from(blocks, ({ offset }) => offset),
    lengths: Uint32Array.from(blocks, ({ length }) => length),
    firstLines: Uint32Array.from(blocks, ({ line }) => line),
    flags: Uint8Array.from(blocks, ({ flags }) => flags),
  };
  return { present: Uint32Array.from(present), files: fileRows, blocks: blockRows };
}
