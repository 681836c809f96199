/**
 * Does: proves how far the events of a thread have come. A file is made in a folder of the daemon's own, and when its
 * event arrives, all that happened before it has arrived too: the kernel keeps one queue for all watches of a thread.
 * Invariant: no file is ever made in the user's tree.
 */
import { type FSWatcher, mkdirSync, rmSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Cookies {
  /** `tell` is handed to `onReached` once the file's event has come; gets false when that can no longer be. */
  lay(tell: (synced: boolean) => void): void;
  close(): void;
}

export interface CookieParts {
  readonly cookieFolder: string;
  readonly onReached: (tell: (synced: boolean) => void) => void;
  readonly onFailure: (why: string) => void;
  readonly open?: typeof watch;
}

export function openCookies({ cookieFolder, onReached, onFailure, open = watch }: CookieParts): Cookies {
  const laid = new Map<string, (synced: boolean) => void>();
  let watcher: FSWatcher | undefined;
  let last = 0;

  function fail(error: unknown): void {
    close();
    onFailure(String((error as { readonly code?: unknown }).code ?? error));
  }

  function start(): FSWatcher | undefined {
    mkdirSync(cookieFolder, { recursive: true, mode: 0o700 });
    try {
      const one = open(cookieFolder, {}, (_event, name) => arrive(String(name)));
      one.on('error', fail);
      return one;
    } catch (error) {
      fail(error);
      return undefined;
    }
  }

  function arrive(name: string): void {
    const tell = laid.get(name);
    if (!tell) return;
    laid.delete(name);
    rmSync(join(cookieFolder, name), { force: true });
    onReached(tell);
  }

  function close(): void {
    watcher?.close();
    watcher = undefined;
    for (const tell of laid.values()) tell(false);
    laid.clear();
  }

  function write(tell: (synced: boolean) => void): void {
    watcher ??= start();
    const name = `${last++}`;
    writeFileSync(join(cookieFolder, name), '', { mode: 0o600 });
    // Events come in a later turn of the loop.
    if (watcher) laid.set(name, tell);
    else tell(false);
  }

  return {
    lay(tell) {
      try {
        write(tell);
      } catch {
        // A full disk, or the folder was taken away: this time nothing is proved, and the caller scans.
        watcher?.close();
        watcher = undefined;
        tell(false);
      }
    },
    close,
  };
}
