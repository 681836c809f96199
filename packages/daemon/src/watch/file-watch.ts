/**
 * Does: watches single files, never folders or trees, and remembers which were touched. Invariant (F-42): an error of the
 * watcher, whenever it comes, ends nothing: it is told once, and from then on every file counts as touched.
 */
import { join, relative, sep } from 'node:path';
import type { FileWatch } from '../base/ports.ts';

/** What of a chokidar watcher is used. */
export interface Watcher {
  add(paths: string[]): unknown;
  on(event: 'all', listener: (event: string, path: string) => void): unknown;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  close(): Promise<void>;
}

export interface FileWatchParts {
  /** A real path. */
  readonly root: string;
  /** Called with the first file. */
  readonly open: () => Promise<Watcher>;
  readonly onFailure: (why: string) => void;
}

export function openFileWatch({ root, open, onFailure }: FileWatchParts): FileWatch {
  const followed = new Set<string>();
  const touched = new Set<string>();
  let watcher: Promise<Watcher | undefined> | undefined;
  let failed = false;
  let closed = false;

  function fail(error: unknown): void {
    if (failed) return;
    doubt();
    onFailure(reasonOf(error));
  }
  function doubt(): void {
    failed = true;
    void stop();
  }
  async function start(): Promise<Watcher | undefined> {
    try {
      const opened = await open();
      opened.on('error', fail);
      opened.on('all', (_event, path) => void touched.add(relative(root, path).split(sep).join('/')));
      return opened;
    } catch (error) {
      fail(error);
      return undefined;
    }
  }
  async function stop(): Promise<void> {
    const opened = watcher;
    watcher = undefined;
    // What cannot even be closed cannot watch either.
    await (await opened)?.close().catch(fail);
  }

  return {
    follow(paths) {
      const added = paths.filter((path) => !followed.has(path));
      for (const path of added) {
        followed.add(path);
        // What happens to it before the watcher has got to it is not seen.
        touched.add(path);
      }
      if (added.length === 0 || closed || failed) return;
      watcher ??= start();
      void watcher.then((opened) => opened?.add(added.map((path) => join(root, path))));
    },
    take() {
      const taken = failed ? [...followed] : [...touched].filter((path) => followed.has(path));
      touched.clear();
      return taken;
    },
    doubt,
    async close() {
      closed = true;
      await stop();
    },
  };
}

function reasonOf(error: unknown): string {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  if (code === 'ENOSPC') return 'no watches left (ENOSPC)';
  if (code === 'EMFILE') return 'no open files left (EMFILE)';
  return String(code ?? message ?? error);
}
