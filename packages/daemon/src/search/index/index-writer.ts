/** Builds, adds to and merges an index. Invariant: one of them at a time, and the old index stands until the new one does. */
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { isNativeError } from 'node:util/types';
import { systemClock } from '@zerd/protocol/node/clock';
import { silentLog } from '../../base/log.ts';
import { buildSegment } from './build-index.ts';
import type { IndexProgress, IndexState, OpenIndexOptions, PathKey } from './contract.ts';
import { type IndexDisk, ripgrepVersion } from './index-disk.ts';
import type { Journal } from './journal.ts';
import { listTree } from './list-tree.ts';
import { type PackedPaths, packPaths, unpackPaths } from './packed-paths.ts';
import { fileOfKey } from './path-key.ts';
import type { Pool } from './pool.ts';
import { isRefusedRoot } from './refused-root.ts';
import * as settings from './settings.ts';
import { sortPaths } from './sort-listing.ts';

export interface IndexWriter {
  /** While there is no index. */
  state(): Exclude<IndexState, 'ready'>;
  progress(): IndexProgress | undefined;
  why(): string | undefined;
  /** How the last build failed; undefined: it did not. */
  failed(): { readonly at: number; readonly why: string } | undefined;
  isBusy(): boolean;
  rebuild(why: string): Promise<void>;
  persist(): Promise<void>;
  merge(): Promise<void>;
  close(): Promise<void>;
}

export interface WriterParts {
  readonly options: OpenIndexOptions;
  readonly disk: IndexDisk;
  readonly journal: Journal;
  readonly pool: Pool;
  readonly onChange: () => void;
}

/** More small segments make queries slower than one merge costs. */
const maxSegments = 6;
const progressMs = 300;

export function createIndexWriter({ options, disk, journal, pool, onChange }: WriterParts): IndexWriter {
  const { root, clock = systemClock, log = silentLog } = options;
  const { blockBytes = settings.blockBytes, spillPairs = settings.spillPairs } = options;
  const closing = new AbortController();
  let [state, why]: [Exclude<IndexState, 'ready'>, string | undefined] = ['none', undefined];
  let progress: IndexProgress | undefined;
  let failed: ReturnType<IndexWriter['failed']>;
  let rebuilding: Promise<void> | undefined;
  let queue: Promise<unknown> = Promise.resolve();
  let busy = 0;
  let toldAt = 0;

  /** One after the other; each ends its threads. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    busy += 1;
    const run = queue.then(async () => {
      closing.signal.throwIfAborted();
      try {
        return await work();
      } finally {
        busy -= 1;
        if (busy === 0) pool.release();
      }
    });
    queue = run.catch(() => undefined);
    return run;
  }

  function enter(to: Exclude<IndexState, 'ready'>, because?: string): void {
    state = to;
    why = because;
    onChange();
  }

  function onProgress(now: IndexProgress): void {
    progress = now;
    if (performance.now() - toldAt < progressMs) return;
    toldAt = performance.now();
    onChange();
  }

  function build(file: string, paths: PackedPaths, removed: readonly PathKey[]) {
    const { signal } = closing;
    const ripgrep = ripgrepVersion();
    const wish = { root, ripgrep, file, paths, removed, blockBytes, spillPairs, pool, signal, onProgress };
    return buildSegment({ ...wish, now: () => clock.wall() });
  }

  async function rebuildNow(because: string): Promise<void> {
    if (options.anyRoot !== true && isRefusedRoot(root)) {
      enter('refused', 'a home folder or the root of the file system is not indexed');
      return;
    }
    const begin = performance.now();
    failed = undefined;
    enter('building', because);
    try {
      const until = journal.now();
      const paths = await listTree(root, pool, closing.signal);
      if (isSmall(paths)) {
        if (disk.manifest() !== undefined) disk.drop('the tree has become small');
        enter('small', 'so small a tree is scanned as quickly');
        return;
      }
      const file = disk.nextFile();
      const { headerCrc } = await build(file, paths, []);
      const buildMs = Math.round(performance.now() - begin);
      journal.forget(until);
      commit(manifestOf([{ name: basename(file), headerCrc }], because, buildMs));
      log.info('the search index was built', { why: because, buildMs, files: paths.ends.length });
    } catch (error) {
      failed = { at: clock.wall(), why: firstLine(isNativeError(error) ? error.message : String(error)) };
      throw error;
    } finally {
      progress = undefined;
      if (state === 'building') enter('none', because);
    }
  }

  function manifestOf(segments: readonly { name: string; headerCrc: number }[], because: string, buildMs: number) {
    return { version: 1 as const, builtAt: clock.wall(), buildMs, why: because, segments: [...segments] };
  }

  /** What was noted for the old index is forgotten by now: without the new one there is none. */
  function commit(manifest: Parameters<IndexDisk['replace']>[0]): void {
    try {
      disk.replace(manifest);
    } catch (error) {
      disk.drop('it could not be written');
      throw error;
    }
  }

  function isSmall(paths: PackedPaths): boolean {
    const { smallFiles = settings.smallFiles, smallBytes = settings.smallBytes } = options;
    return paths.ends.length < smallFiles && sizeOf(root, unpackPaths(paths)) < smallBytes;
  }

  async function persistNow(): Promise<void> {
    const manifest = disk.manifest();
    if (journal.isLost()) return;
    if (manifest === undefined || journal.changed.size + journal.removed.size === 0) return;
    const until = journal.now();
    const file = disk.nextFile();
    const paths = packPaths(sortPaths([...journal.changed.keys()]));
    const { headerCrc } = await build(file, paths, [...journal.removed.keys()]);
    progress = undefined;
    if (disk.manifest() !== manifest) return;
    journal.forget(until);
    commit({ ...manifest, segments: [...manifest.segments, { name: basename(file), headerCrc }] });
    onChange();
    if (isFragmented()) await mergeNow();
  }

  function isFragmented(): boolean {
    const [base, ...deltas] = disk.loaded()?.segments ?? [];
    if (base === undefined) return false;
    return deltas.length >= maxSegments || deltas.reduce((sum, { bytes }) => sum + bytes, 0) > base.bytes / 10 + 65_536;
  }

  async function mergeNow(): Promise<void> {
    const [manifest, loaded] = [disk.manifest(), disk.loaded()];
    if (manifest === undefined || loaded === undefined) return;
    const until = journal.now();
    const file = disk.nextFile();
    const segments = loaded.segments.map((segment) => ({ file: segment.file, dead: segment.dead.slice() }));
    const { headerCrc } = await pool.run('merge', { file, segments }, { signal: closing.signal });
    if (disk.manifest() !== manifest) return;
    journal.forget(until, 'removed');
    commit({ ...manifest, segments: [{ name: basename(file), headerCrc }] });
    onChange();
  }

  return {
    state: () => state,
    progress: () => progress,
    why: () => why,
    failed: () => failed,
    isBusy: () => busy > 0,
    rebuild(because) {
      rebuilding ??= inTurn(() => rebuildNow(because)).finally(() => {
        rebuilding = undefined;
        onChange();
      });
      return rebuilding;
    },
    persist: () => inTurn(persistNow),
    merge: () =>
      inTurn(async () => {
        await persistNow();
        if ((disk.loaded()?.segments.length ?? 0) > 1 || journal.removed.size > 0) await mergeNow();
      }),
    async close() {
      closing.abort(new Error('the index was closed'));
      pool.release();
      await queue;
    },
  };
}

function sizeOf(root: string, paths: readonly PathKey[]): number {
  return paths.reduce((sum, path) => sum + (statSync(fileOfKey(root, path), { throwIfNoEntry: false })?.size ?? 0), 0);
}

/** What a thread failed with comes with its stack. */
function firstLine(text: string): string {
  return (text.split('\n', 1)[0] ?? '').replace(/^(?:\w*Error: )+/, '');
}
