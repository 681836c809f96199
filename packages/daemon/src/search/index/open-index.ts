/**
 * The index of one tree: what lies on disk, what was told of changes, and the work that goes on. Invariant: one write at a
 * time, and whatever is found damaged is dropped, so that queries scan the tree until it is built anew.
 */
import { basename } from 'node:path';
import { systemClock } from '@zerd/protocol/node/clock';
import { silentLog } from '../../base/log.ts';
import { defaultHitLimits } from '../collect-hits.ts';
import type { FileTable, IndexChange, IndexStatus, OpenIndexOptions, SearchIndex } from './contract.ts';
import { openIndexDisk } from './index-disk.ts';
import { createIndexWriter } from './index-writer.ts';
import { createJournal, mostNoted } from './journal.ts';
import { createKeptFiles } from './kept-files.ts';
import { deadMarks, fileTable, type Loaded } from './loaded.ts';
import { createInlinePool, createPool, type Pool } from './pool.ts';
import { DamagedIndex } from './posting-pages.ts';
import { fileFlags } from './rows.ts';
import { type QueryRoom, runQuery } from './run-query.ts';
import * as settings from './settings.ts';

export async function openIndex(options: OpenIndexOptions): Promise<SearchIndex> {
  const { folder, root, clock = systemClock, log = silentLog, idleMs = settings.idleMs } = options;
  const { idleClock = clock } = options;
  const journal = createJournal();
  const listeners = new Set<(status: IndexStatus) => void>();
  const disk = openIndexDisk({ folder, root, journal, log, now: () => performance.now(), onLoad: noteRacy });
  const pool = poolOf(options);
  const kept = createKeptFiles(settings.keptBytes);
  const writer = createIndexWriter({ options, disk, journal, pool: poolOf(options), onChange: tell });
  let table: FileTable | undefined;
  let running = 0;
  let usedAt = idleClock.now();
  let idle: Disposable | undefined;

  function noteRacy({ segments }: Loaded): void {
    table = undefined;
    const changed = segments.flatMap((segment) =>
      [...segment.files.flags.keys()]
        .filter((n) => ((segment.files.flags[n] ?? 0) & fileFlags.racy) !== 0 && segment.dead[n] === 0)
        .map(segment.path),
    );
    if (changed.length > 0) note({ changed, removed: [] });
  }

  function tell(): void {
    const now = status();
    for (const listener of listeners) listener(now);
  }

  function status(): IndexStatus {
    const manifest = disk.manifest();
    const progress = writer.progress();
    const failed = writer.failed();
    const [loadMs, why] = [disk.loadMs(), manifest?.why ?? writer.why() ?? disk.why()];
    return {
      state: manifest !== undefined ? 'ready' : writer.state(),
      files: manifest?.files ?? 0,
      corpusBytes: manifest?.corpusBytes ?? 0,
      blocks: manifest?.blocks ?? 0,
      indexBytes: manifest?.indexBytes ?? 0,
      segments: manifest?.segments.length ?? 0,
      changed: journal.isLost() ? Math.max(manifest?.files ?? 0, mostNoted) : journal.changed.size,
      removed: journal.removed.size,
      memoryBytes: (disk.resident()?.memoryBytes() ?? 0) + kept.bytes(),
      ...(manifest === undefined ? {} : { builtAt: manifest.builtAt, buildMs: manifest.buildMs }),
      ...(loadMs === undefined ? {} : { loadMs }),
      ...(why === undefined ? {} : { why }),
      ...(failed === undefined ? {} : { failed }),
      ...(progress === undefined ? {} : { progress }),
    };
  }

  function use(): Loaded | undefined {
    usedAt = idleClock.now();
    idle ??= idleClock.setTimer(idleMs, onIdle);
    return disk.loaded();
  }

  function onIdle(): void {
    const rest = usedAt + idleMs - idleClock.now();
    idle = undefined;
    if (running > 0 || rest > 0) idle = idleClock.setTimer(Math.max(rest, 1_000), onIdle);
    else release();
  }

  function release(): void {
    if (running > 0) return;
    idle?.[Symbol.dispose]();
    idle = undefined;
    table = undefined;
    pool.release();
    kept.clear();
    if (!writer.isBusy()) disk.release();
  }

  function note(change: IndexChange): void {
    journal.note(change);
    table = undefined;
    if (journal.isLost()) return;
    const loaded = disk.resident();
    loaded?.mark(change.changed, deadMarks.changed);
    loaded?.mark(change.removed, deadMarks.gone);
  }

  function queryRoom(): QueryRoom {
    const { limits = defaultHitLimits, timeoutMs = 20_000, largeBytes } = options;
    const { files = 0, corpusBytes = 0 } = disk.manifest() ?? {};
    return { root, clock, limits, timeoutMs, pool, kept, journal, corpus: { files, bytes: corpusBytes }, largeBytes };
  }

  return {
    status,
    onStatus(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => listeners.delete(listener) };
    },
    files() {
      const loaded = use();
      if (loaded === undefined) return undefined;
      table ??= fileTable(loaded, journal);
      return table;
    },
    note,
    persist: writer.persist,
    merge: writer.merge,
    rebuild: writer.rebuild,
    async query(query, signal) {
      if (journal.isLost()) return undefined;
      const loaded = use();
      if (loaded === undefined) return undefined;
      running += 1;
      try {
        return await runQuery(queryRoom(), loaded, query, signal);
      } catch (error) {
        if (signal.aborted || !(error instanceof DamagedIndex)) throw error;
        log.warn('the search index on disk is damaged; it will be built anew', { error, folder: basename(folder) });
        disk.drop('the index on disk was damaged');
        tell();
        return undefined;
      } finally {
        running -= 1;
      }
    },
    release,
    async close() {
      await writer.close();
      running = 0;
      release();
      listeners.clear();
    },
  };
}

function poolOf({ workers = settings.workerCount(), clock = systemClock, threads = true }: OpenIndexOptions): Pool {
  const file = settings.workerFile();
  // From sources, as in tests, there is no program for a thread.
  return threads && file !== undefined ? createPool({ size: workers, file, clock }) : createInlinePool();
}
