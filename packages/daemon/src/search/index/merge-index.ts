/** Makes one segment of several: what stands of each, renumbered in their order. The work of one worker. */
import type { PathKey } from './contract.ts';
import { joinBlocks, joinFiles } from './join-rows.ts';
import { gone } from './merge-postings.ts';
import { packPaths } from './packed-paths.ts';
import { byPath } from './path-key.ts';
import type { BlockRows, FileRows } from './rows.ts';
import { openSegment, type Segment } from './segment.ts';
import { type SegmentTask, type SourceFile, type WrittenSegment, writeSegment } from './write-segment.ts';

export interface MergeTask {
  /** Where the segment goes. */
  readonly file: string;
  /** Older ones first, at least one. `dead`: as in `Segment`. */
  readonly segments: readonly { readonly file: string; readonly dead: Uint8Array }[];
}

export function mergeSegments({ file, segments }: MergeTask): WrittenSegment {
  const opened: Segment[] = [];
  try {
    for (const { file: from, dead } of segments) {
      const segment = openSegment(from);
      opened.push(segment);
      segment.dead.set(dead);
    }
    return writeSegment(segmentTask(file, opened));
  } finally {
    for (const segment of opened) segment.close();
  }
}

function segmentTask(file: string, segments: readonly Segment[]): SegmentTask {
  const [first] = segments;
  if (first === undefined) throw new RangeError('there is no segment to merge');
  let base = 0;
  const parts = segments.map((segment) => {
    const part = partOf(segment, base);
    base += part.blocks.flags.length;
    return part;
  });
  return {
    file,
    root: first.header.root,
    ripgrep: first.header.ripgrep,
    blockBytes: first.header.blockBytes,
    sources: parts.map(({ source }) => source),
    files: joinFiles(parts.map(({ files }) => files)),
    blocks: joinBlocks(parts.map(({ blocks }) => blocks)),
    ...pathTables(parts.flatMap(({ paths }) => paths)),
    removed: new Uint8Array(0),
  };
}

/** `paths` in the order of the files, which is another than their own. */
function pathTables(paths: readonly PathKey[]) {
  const order = Uint32Array.from(paths.keys());
  const isSorted = paths.every((path, i) => i === 0 || byPath(paths[i - 1] ?? '', path) <= 0);
  if (!isSorted) order.sort((a, b) => byPath(paths[a] ?? '', paths[b] ?? ''));
  const { bytes, ends } = packPaths(paths);
  return { paths: bytes, pathEnds: ends, order };
}

interface Part {
  readonly source: SourceFile;
  readonly files: FileRows;
  readonly blocks: BlockRows;
  readonly paths: readonly PathKey[];
}

function partOf(segment: Segment, base: number): Part {
  const kept: number[] = [];
  const numbers = new Uint32Array(segment.blocks.flags.length).fill(gone);
  const blocks: number[] = [];
  for (let file = 0; file < segment.fileCount; file += 1) {
    if (segment.dead[file] !== 0) continue;
    kept.push(file);
    for (let block = segment.firstBlocks[file] ?? 0; block < (segment.firstBlocks[file + 1] ?? 0); block += 1) {
      numbers[block] = base + blocks.length;
      blocks.push(block);
    }
  }
  return {
    source: { kind: 'segment', file: segment.file, base, numbers },
    files: {
      sizes: Float64Array.from(kept, (n) => segment.files.sizes[n] ?? 0),
      times: Float64Array.from(kept, (n) => segment.files.times[n] ?? 0),
      inodes: Float64Array.from(kept, (n) => segment.files.inodes[n] ?? 0),
      flags: Uint8Array.from(kept, (n) => segment.files.flags[n] ?? 0),
      blockCounts: Uint32Array.from(kept, (n) => segment.files.blockCounts[n] ?? 0),
    },
    blocks: {
      offsets: Uint32Array.from(blocks, (n) => segment.blocks.offsets[n] ?? 0),
      lengths: Uint32Array.from(blocks, (n) => segment.blocks.lengths[n] ?? 0),
      firstLines: Uint32Array.from(blocks, (n) => segment.blocks.firstLines[n] ?? 0),
      flags: Uint8Array.from(blocks, (n) => segment.blocks.flags[n] ?? 0),
    },
    paths: kept.map(segment.path),
  };
}
