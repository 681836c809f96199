/**
 * The index as it lies on disk and as it is loaded. Invariant: what does not fit (version, checksum, root, ripgrep) is as
 * if it were not there, and a new manifest takes effect as a whole.
 */
import { mkdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import type { Log } from '../../base/log.ts';
import { errorCode } from '../../files/fs-failure.ts';
import type { Journal } from './journal.ts';
import { type Loaded, loadSegments } from './loaded.ts';
import { type Manifest, nextSegmentNumber, readManifest, removeOthers, writeManifest } from './manifest.ts';
import type { Segment } from './segment.ts';

export interface IndexDisk {
  manifest(): Manifest | undefined;
  /** Loads what is not in memory. Undefined: there is none, or it turned out damaged and was dropped. */
  loaded(): Loaded | undefined;
  /** Held in memory now. */
  resident(): Loaded | undefined;
  loadMs(): number | undefined;
  /** Why there is none. */
  why(): string | undefined;
  nextFile(): string;
  /** Segments that are on disk become the index; `onLoad` may mark files before anybody asks. */
  replace(manifest: Omit<Manifest, 'root' | 'ripgrep' | 'files' | 'corpusBytes' | 'blocks' | 'indexBytes'>): void;
  drop(why: string): void;
  release(): void;
}

export interface DiskParts {
  readonly folder: string;
  readonly root: string;
  readonly journal: Journal;
  readonly log: Log;
  readonly now: () => number;
  /** Called after each load: files written too shortly before they were read count as changed. */
  readonly onLoad: (loaded: Loaded) => void;
}

export function openIndexDisk({ folder, root, journal, log, now, onLoad }: DiskParts): IndexDisk {
  const ripgrep = ripgrepVersion();
  let loaded: Loaded | undefined;
  let loadMs: number | undefined;
  let why: string | undefined;
  let manifest = readOrDrop();
  tidy();

  /** What a crash left over: nobody else writes here. */
  function tidy(): void {
    try {
      removeOthers(folder, manifest);
    } catch (error) {
      log.warn('the folder of the search index cannot be tidied up', { error, folder });
    }
  }

  function readOrDrop(): Manifest | undefined {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    } catch (error) {
      // The next build tries again, and says why when it fails.
      why = `its folder cannot be made: ${errorCode(error) ?? 'no reason known'}`;
      log.warn('the search index has no folder; searches scan', { error, folder });
      return undefined;
    }
    try {
      const found = readManifest(folder);
      if (found !== undefined && (found.root !== root || found.ripgrep !== ripgrep)) {
        why = found.root === root ? 'ripgrep is another one' : 'the folder was moved';
        return undefined;
      }
      return found;
    } catch (error) {
      why = 'the index on disk was damaged or of another version';
      log.warn('the search index on disk cannot be used; it will be built anew', { error, folder });
      return undefined;
    }
  }

  function drop(reason: string): void {
    loaded?.close();
    loaded = undefined;
    manifest = undefined;
    why = reason;
  }

  function load(): Loaded | undefined {
    if (manifest === undefined) return undefined;
    const begin = now();
    try {
      loaded = loadSegments(folder, manifest, journal);
    } catch (error) {
      log.warn('the search index on disk cannot be used; it will be built anew', { error, folder });
      drop('the index on disk was damaged or gone');
      return undefined;
    }
    loadMs = now() - begin;
    onLoad(loaded);
    return loaded;
  }

  return {
    manifest: () => manifest,
    loaded: () => loaded ?? load(),
    resident: () => loaded,
    loadMs: () => loadMs,
    why: () => why,
    nextFile() {
      // Somebody may have removed it.
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      return join(folder, `seg-${nextSegmentNumber(folder)}.zsi`);
    },
    replace(changes) {
      const next = { files: 0, corpusBytes: 0, blocks: 0, indexBytes: 0, ...changes, root, ripgrep };
      const opened = loadSegments(folder, next, journal);
      const counted = { ...next, ...countsOf(opened.segments) };
      try {
        writeManifest(folder, counted);
      } catch (error) {
        opened.close();
        throw error;
      }
      loaded?.close();
      loaded = opened;
      manifest = counted;
      why = undefined;
      onLoad(opened);
      removeOthers(folder, counted);
    },
    drop,
    release() {
      loaded?.close();
      loaded = undefined;
    },
  };
}

/** Another ripgrep may list and match differently. */
export function ripgrepVersion(): string {
  return `${basename(rgPath)}-${statSync(rgPath).size}`;
}

function countsOf(segments: readonly Segment[]) {
  let [files, corpusBytes, blocks, indexBytes] = [0, 0, 0, 0];
  for (const segment of segments) {
    indexBytes += segment.bytes;
    for (let file = 0; file < segment.fileCount; file += 1) {
      if (segment.dead[file] === 1) continue;
      files += 1;
      corpusBytes += Math.max(0, segment.files.sizes[file] ?? 0);
      blocks += segment.files.blockCounts[file] ?? 0;
    }
  }
  return { files, corpusBytes, blocks, indexBytes };
}
