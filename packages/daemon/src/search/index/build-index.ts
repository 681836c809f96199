/** Builds a segment of a list of files: chunks in worker threads, then one merge. Nothing of it is left when it fails. */
import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { IndexProgress, PathKey } from './contract.ts';
import { byPath, bytesOfKey } from './path-key.ts';
import type { Pool } from './pool.ts';
import type { BlockRows, ChunkRows, FileRows } from './rows.ts';
import type { SegmentTask, SourceFile, WrittenSegment } from './write-segment.ts';

export interface BuildWish {
  readonly root: string;
  readonly ripgrep: string;
  /** Where the segment goes. */
  readonly file: string;
  /** In path order. */
  readonly paths: readonly PathKey[];
  readonly removed: readonly PathKey[];
  readonly blockBytes: number;
  readonly spillPairs: number;
  readonly pool: Pool;
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly onProgress: (progress: IndexProgress) => void;
}

export interface BuiltSegment extends WrittenSegment {
  /** Files that were gone when they were to be read. */
  readonly missing: readonly PathKey[];
}

/** Chunks for each worker: enough for them to end at about the same time, few enough to merge quickly. */
const chunksPerWorker = 8;
const minChunk = 256;

export async function buildSegment(wish: BuildWish): Promise<BuiltSegment> {
  const prefix = join(dirname(wish.file), `spill-${basename(wish.file, '.zsi')}-`);
  try {
    const parts = chunked(
      wish.paths,
      Math.max(minChunk, Math.ceil(wish.paths.length / (chunksPerWorker * wish.pool.size))),
    );
    const progress = createProgress(wish);
    const run = (paths: readonly PathKey[], n: number) => runChunk(wish, paths, `${prefix}${n}`, progress);
    const chunks = await allSettledOrThrow(parts.map(run));
    const { task, missing } = assemble(wish, parts, chunks);
    return { ...(await wish.pool.run('segment', task, { signal: wish.signal })), missing };
  } finally {
    removeSpills(prefix);
  }
}

function chunked<T>(values: readonly T[], size: number): (readonly T[])[] {
  const parts: (readonly T[])[] = [];
  for (let at = 0; at < values.length; at += size) parts.push(values.slice(at, at + size));
  return parts;
}

function runChunk(
  { root, blockBytes, spillPairs, pool, signal, now }: BuildWish,
  paths: readonly PathKey[],
  prefix: string,
  onProgress: (files: number, bytes: number) => void,
): Promise<ChunkRows> {
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
    const totalBytes = files === 0 ? 0 : Math.round((bytes * paths.length) / files);
    onProgress({ files, totalFiles: paths.length, bytes, totalBytes });
  };
}

function assemble(wish: BuildWish, parts: readonly (readonly PathKey[])[], chunks: readonly ChunkRows[]) {
  const present = new Set<PathKey>();
  chunks.forEach((chunk, n) => {
    for (const index of chunk.present) present.add(parts[n]?.[index] ?? '');
  });
  const paths = wish.paths.filter((path) => present.has(path));
  const missing = wish.paths.filter((path) => !present.has(path));
  const task: SegmentTask = {
    file: wish.file,
    root: wish.root,
    ripgrep: wish.ripgrep,
    blockBytes: wish.blockBytes,
    sources: sourcesOf(chunks),
    files: joinFiles(chunks.map(({ files }) => files)),
    blocks: joinBlocks(chunks.map(({ blocks }) => blocks)),
    ...pathTables(paths),
    removed: packPaths([...wish.removed, ...missing]).paths,
  };
  return { task, missing };
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

export function joinFiles(rows: readonly FileRows[]): FileRows {
  return {
    sizes: joinFloats(rows.map(({ sizes }) => sizes)),
    times: joinFloats(rows.map(({ times }) => times)),
    inodes: joinFloats(rows.map(({ inodes }) => inodes)),
    flags: joinBytes(rows.map(({ flags }) => flags)),
    blockCounts: joinWords(rows.map(({ blockCounts }) => blockCounts)),
  };
}

export function joinBlocks(rows: readonly BlockRows[]): BlockRows {
  return {
    offsets: joinWords(rows.map(({ offsets }) => offsets)),
    lengths: joinWords(rows.map(({ lengths }) => lengths)),
    firstLines: joinWords(rows.map(({ firstLines }) => firstLines)),
    flags: joinBytes(rows.map(({ flags }) => flags)),
  };
}

function total(arrays: readonly { readonly length: number }[]): number {
  return arrays.reduce((sum, { length }) => sum + length, 0);
}

function joinFloats(arrays: readonly Float64Array[]): Float64Array {
  return fill(new Float64Array(total(arrays)), arrays);
}

function joinWords(arrays: readonly Uint32Array[]): Uint32Array {
  return fill(new Uint32Array(total(arrays)), arrays);
}

function joinBytes(arrays: readonly Uint8Array[]): Uint8Array {
  return fill(new Uint8Array(total(arrays)), arrays);
}

function fill<A extends { set(from: A, at: number): void; readonly length: number }>(into: A, arrays: readonly A[]): A {
  let at = 0;
  for (const array of arrays) {
    into.set(array, at);
    at += array.length;
  }
  return into;
}

/** `paths` in the order of the files, which may be another than that of the paths. */
export function pathTables(paths: readonly PathKey[]) {
  const order = Uint32Array.from(paths.keys());
  const isSorted = paths.every((path, i) => i === 0 || byPath(paths[i - 1] ?? '', path) <= 0);
  if (!isSorted) order.sort((a, b) => byPath(paths[a] ?? '', paths[b] ?? ''));
  return { ...packPaths(paths), order };
}

export function packPaths(paths: readonly PathKey[]) {
  const ends = new Uint32Array(paths.length);
  const parts: Buffer[] = [];
  let at = 0;
  paths.forEach((path, i) => {
    const bytes = bytesOfKey(path);
    parts.push(bytes, Buffer.alloc(1));
    at += bytes.length + 1;
    ends[i] = at;
  });
  return { paths: Buffer.concat(parts), pathEnds: ends };
}

function removeSpills(prefix: string): void {
  const folder = dirname(prefix);
  for (const entry of readdirSync(folder)) {
    if (entry.startsWith(basename(prefix))) rmSync(join(folder, entry), { force: true });
  }
}
