/** Cuts candidates into tasks for workers. Invariant: the order stays, and the same candidates give the same batches. */
import type { LineMatcher } from '@zerd/core/search/plan-search';
import { columns } from './file-source.ts';
import { bytesOf, type Candidate } from './select-candidates.ts';
import { anyText, type VerifyTask } from './verify-files.ts';

export interface BatchSize {
  readonly files: number;
  readonly bytes: number;
}

/** The first ones are small, so that a search for few hits ends soon; each is twice as large as the one before. */
export function* batchesOf(
  candidates: readonly Candidate[],
  first: BatchSize,
  largest: BatchSize,
): Generator<readonly Candidate[]> {
  let size = first;
  for (let at = 0; at < candidates.length; ) {
    const begin = at;
    let bytes = 0;
    for (; at < candidates.length && at - begin < size.files && (at === begin || bytes < size.bytes); at += 1) {
      const candidate = candidates[at];
      if (candidate !== undefined) bytes += bytesOf(candidate) + 4_096;
    }
    yield candidates.slice(begin, at);
    size = { files: Math.min(largest.files, 2 * size.files), bytes: Math.min(largest.bytes, 2 * size.bytes) };
  }
}

export interface Wanted {
  readonly enough: number;
  readonly hits: number;
  readonly bytes: number;
  readonly context: number;
}

export function verifyTask(
  root: string,
  matcher: LineMatcher,
  batch: readonly Candidate[],
  wanted: Wanted,
): VerifyTask {
  const stamps = new Float64Array(3 * batch.length).fill(Number.NaN);
  const flags = new Uint8Array(batch.length);
  const blockCounts = new Uint32Array(batch.length);
  const blocks: number[] = [];
  batch.forEach(({ segment, file, blocks: some, texts }, row) => {
    if (segment === undefined) return;
    const { sizes, times, inodes } = segment.files;
    stamps.set([sizes[file] ?? 0, times[file] ?? 0, inodes[file] ?? 0], 3 * row);
    flags[row] = segment.files.flags[file] ?? 0;
    const before = blocks.length;
    const add = (block: number, possible = anyText) => {
      blocks.push(
        segment.blocks.offsets[block] ?? 0,
        segment.blocks.lengths[block] ?? 0,
        segment.blocks.firstLines[block] ?? 0,
        possible,
      );
    };
    if (some !== undefined) for (const [n, block] of some.entries()) add(block, texts?.[n]);
    else for (let n = segment.firstBlocks[file] ?? 0; n < (segment.firstBlocks[file + 1] ?? 0); n += 1) add(n);
    blockCounts[row] = (blocks.length - before) / columns;
  });
  const paths = batch.map(({ path }) => path);
  return { root, matcher, paths, stamps, flags, blockCounts, blocks: Uint32Array.from(blocks), ...wanted };
}
