/** Builds a segment of a list of files: chunks in worker threads, then one merge. Nothing of it is left when it fails. */
import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { IndexProgress, PathKey } from './contract.ts';
import { joinBlocks, joinFiles, joinWords } from './join-rows.ts';
import { type PackedPaths, packPaths, pickPaths, sliceOfPaths, unpackPaths } from './packed-paths.ts';
import type { Pool } from './pool.ts';
import type { ChunkRows } from './rows.ts';
import type { SegmentTask, SourceFile, WrittenSegment } from './write-segment.ts';

export interface BuildWish {
  readonly root: string;
  readonly ripgrep: string;
  /** Where the segment goes. */
  readonly file: string;
  /** In path order. */
  readonly paths: PackedPaths;
  readonly removed: readonly PathKey[];
  readonly blockBytes: number;
  readonly spillPairs: number;
  readonly pool: Pool;
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly onProgress: (progress: IndexProgress) => void;
}

/** Chunks for each worker: enough for them to end at about the same time, few enough to merge quickly. */
const chunksPerWorker = 8;
const minChunk = 256;

export async function buildSegment(wish: BuildWish): Promise<WrittenSegment> {
  const prefix = join(dirname(wish.file), `spill-${basename(wish.file, '.zsi')}-`);
  try {
    const parts = partsOf(wish);
    const progress = createProgress(wish);
    const chunks = await allSettledOrThrow(parts.map((part, n) => runChunk(wish, part, `${prefix}${n}`, progress)));
    return await wish.pool.run('segment', assemble(wish, parts, chunks), { signal: wish.signal });
  } finally {
    removeSpills(prefix);
  }
}

/** A run of the files. */
interface Part {
  readonly from: number;
  readonly to: number;
}

function partsOf({ paths, pool }: BuildWish): Part[] {
  const count = paths.ends.length;
  const size = Math.max(minChunk, Math.ceil(count / (chunksPerWorker * pool.size)));
  const parts: Part[] = [];
  for (let from = 0; from < count; from += size) parts.push({ from, to: Math.min(count, from + size) });
  return parts;
}

function runChunk(
  { root, paths: all, blockBytes, spillPairs, pool, signal, now }: BuildWish,
  { from, to }: Part,
  prefix: string,
  onProgress: (files: number, bytes: number) => void,
): Promise<ChunkRows> {
  const paths = sliceOfPaths(all, from, to);
  const task = { root, paths, prefix, blockBytes, spillPairs, now: now() };
  return pool.run('chunk', task, { signal, onProgress });
}

/** No task is still writing spills when this rejects. */
async function allSettledOrThrow<T>(runs: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(runs);
  return settled.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}

function createProgress({ paths, onProgress }: BuildWish): (files: number, bytes: number) => void {
  let [files, bytes] = [0, 0];
  return (moreFiles, moreBytes) => {
    files += moreFiles;
    bytes += moreBytes;
    // The sizes of files not read yet are not known: as large as the others.
    const totalBytes = files === 0 ? 0 : Math.round((bytes * paths.ends.length) / files);
    onProgress({ files, totalFiles: paths.ends.length, bytes, totalBytes });
  };
}

function assemble(wish: BuildWish, parts: readonly Part[], chunks: readonly ChunkRows[]): SegmentTask {
  const { present, missing } = placesOf(parts, chunks);
  const { bytes: paths, ends: pathEnds } = missing.length === 0 ? wish.paths : pickPaths(wish.paths, present);
  const gone = unpackPaths(pickPaths(wish.paths, missing));
  return {
    file: wish.file,
    root: wish.root,
    ripgrep: wish.ripgrep,
    blockBytes: wish.blockBytes,
    sources: sourcesOf(chunks),
    files: joinFiles(chunks.map(({ files }) => files)),
    blocks: joinBlocks(chunks.map(({ blocks }) => blocks)),
    paths,
    pathEnds,
    order: present.map((_, n) => n),
    removed: packPaths([...wish.removed, ...gone]).bytes,
  };
}

/** Which of the files were there when they were to be read, and which were not. */
function placesOf(parts: readonly Part[], chunks: readonly ChunkRows[]) {
  const present = joinWords(chunks.map((chunk, n) => chunk.present.map((index) => index + (parts[n]?.from ?? 0))));
  const count = parts.at(-1)?.to ?? 0;
  const missing = new Uint32Array(count - present.length);
  for (let place = 0, next = 0; place < count; place += 1) {
    if (present[next] === place) next += 1;
    else missing[place - next] = place;
  }
  return { present, missing };
}

function sourcesOf(chunks: readonly ChunkRows[]): SourceFile[] {
  let base = 0;
  return chunks
    .flatMap(({ spills }) => spills)
    .map(({ file, blocks }) => {
      const source: SourceFile = { kind: 'spill', file, base };
      base += blocks;
      return source;
    });
}

function removeSpills(prefix: string): void {
  const folder = dirname(prefix);
  for (const entry of readdirSync(folder)) {
    if (entry.startsWith(basename(prefix))) rmSync(join(folder, entry), { force: true });
  }
}
