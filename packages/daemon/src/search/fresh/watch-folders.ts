/**
 * Does: one `fs.watch` for each folder it is told; never a tree, so that an ignored folder costs nothing. Where the
 * system watches trees itself (macOS, Windows) one watch serves all. Invariant (F-42): an error of a watch, whenever it
 * comes, is told once as the end of watching and throws nowhere.
 */
import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import { nameOf, parentOf } from './tree.ts';

export interface FolderWatches {
  /** False: watching has ended. A folder that is gone counts as watched: its parent tells. */
  add(folder: string): boolean;
  /** The folder may be another one by now. */
  renew(folder: string): boolean;
  remove(folder: string): void;
  count(): number;
  close(): void;
}

export interface FolderWatchParts {
  readonly root: string;
  /** `name` undefined: anything in the folder may have changed. */
  readonly onEvent: (folder: string, name: string | undefined) => void;
  /** So many events came at once that the system's queue may have overflowed. */
  readonly onOverflow: () => void;
  readonly onFailure: (why: string) => void;
  readonly maxWatches?: number;
  /** Events of one turn of the loop that mean that some may have been lost: the kernel tells of it, but Node does not. */
  readonly burst?: number;
  readonly open?: typeof watch;
}

/** A good half of what a user has by default (inotify: 65,536 on small machines), so that others can watch too. */
export const usualMaxWatches = 40_000;
/** Half of the queue of inotify (fs.inotify.max_queued_events, 16,384 by default). */
const usualBurst = 8_192;

const watchesTrees = process.platform === 'darwin' || process.platform === 'win32';

export function openFolderWatches(parts: FolderWatchParts): FolderWatches {
  const { root, onEvent, onFailure, open = watch, maxWatches = usualMaxWatches } = parts;
  const watches = new Map<string, FSWatcher>();
  const countEvent = createBurst(parts.burst ?? usualBurst, parts.onOverflow);
  let ended = false;

  function fail(error: unknown): void {
    if (ended) return;
    close();
    onFailure(reasonOf(error));
  }

  function add(folder: string): boolean {
    if (ended) return false;
    if (watches.has(folder) || (watchesTrees && folder !== '')) return true;
    if (watches.size >= maxWatches) {
      fail(new Error(`more than ${maxWatches} folders`));
      return false;
    }
    try {
      const one = open(join(root, folder), { recursive: watchesTrees }, (_event, name) => {
        countEvent();
        tell(folder, name ?? undefined);
      });
      one.on('error', (error) => (isGone(error) ? remove(folder) : fail(error)));
      watches.set(folder, one);
    } catch (error) {
      if (!isGone(error)) fail(error);
    }
    return !ended;
  }

  function tell(folder: string, name: string | undefined): void {
    if (ended) return;
    const path = watchesTrees ? name?.replaceAll('\\', '/') : undefined;
    if (path === undefined) onEvent(folder, name);
    else onEvent(parentOf(path), nameOf(path));
  }

  function remove(folder: string): void {
    watches.get(folder)?.close();
    watches.delete(folder);
  }

  function close(): void {
    ended = true;
    for (const one of watches.values()) one.close();
    watches.clear();
  }

  return {
    add,
    renew(folder) {
      if (!watchesTrees) remove(folder);
      return add(folder);
    },
    remove,
    count: () => watches.size,
    close,
  };
}

function createBurst(most: number, onOverflow: () => void): () => void {
  let inThisTurn = 0;
  return () => {
    if (inThisTurn === 0) {
      setImmediate(() => {
        inThisTurn = 0;
      });
    }
    inThisTurn += 1;
    if (inThisTurn === most) onOverflow();
  };
}

function isGone(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES' || code === 'EPERM';
}

function reasonOf(error: unknown): string {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  if (code === 'ENOSPC') return 'no watches left (ENOSPC; fs.inotify.max_user_watches)';
  if (code === 'EMFILE') return 'no watchers left (EMFILE; fs.inotify.max_user_instances)';
  return String(code ?? message ?? error);
}
