/** The watch over a tree as the rest of the search room has it, wherever it runs. */
import type { Ranking } from '@zerd/core/search/fuzzy-paths';
import type { IndexChange, IndexedFile } from '../index/contract.ts';

export interface WatchState {
  /**
   * starting: what happened while nobody watched is being found out; live: each change is told as it happens; polling:
   * the tree cannot be watched and is walked when somebody asks; ended: nothing is known any more.
   */
  readonly phase: 'starting' | 'live' | 'polling' | 'ended';
  readonly watches: number;
  /** Why it is not live. */
  readonly why?: string;
  /** How long finding out took the last time, and when that was done. */
  readonly catchUpMs?: number;
  readonly caughtUpAt?: number;
  /** How often events may have been lost, and everything was looked at again. */
  readonly overflows: number;
}

export interface WatchPort {
  state(): WatchState;
  /** All that happened before is told by then. False: that cannot be said, or the watch has ended. */
  sync(): Promise<boolean>;
  recheck(): void;
  /** Undefined: the watch has ended. */
  rank(typed: string, limit: number): Promise<Ranking | undefined>;
  /** Every path that the pattern means, in no order. Undefined: the watch has ended. */
  find(pattern: string): Promise<readonly string[] | undefined>;
  close(): Promise<void>;
}

export type KnownFile = Pick<IndexedFile, 'path' | 'size' | 'changedMs' | 'ino' | 'racy'>;

export interface WatchListeners {
  readonly onChange: (change: IndexChange) => void;
  readonly onState: (state: WatchState) => void;
  /** Watching has ended by what nobody expected. */
  readonly onDefect: (error: unknown) => void;
}

export interface WatchWish {
  readonly root: string;
  readonly cookieFolder: string;
  readonly known: KnownFiles;
}

export type OpenWatch = (wish: WatchWish, listeners: WatchListeners) => WatchPort;

/** Files in columns: cheap to hand to a thread. */
export interface KnownFiles {
  readonly paths: readonly string[];
  readonly sizes: Float64Array;
  readonly times: Float64Array;
  readonly inos: Float64Array;
  readonly racy: Uint8Array;
}

export function knownFiles(count: number, at: (n: number) => KnownFile): KnownFiles {
  const known = {
    paths: [] as string[],
    sizes: new Float64Array(count),
    times: new Float64Array(count),
    inos: new Float64Array(count),
    racy: new Uint8Array(count),
  };
  for (let n = 0; n < count; n += 1) {
    const file = at(n);
    known.paths.push(file.path);
    known.sizes[n] = file.size;
    known.times[n] = file.changedMs;
    known.inos[n] = file.ino;
    known.racy[n] = file.racy ? 1 : 0;
  }
  return known;
}

export function* eachKnown({ paths, sizes, times, inos, racy }: KnownFiles): Generator<KnownFile> {
  for (const [n, path] of paths.entries()) {
    yield { path, size: sizes[n] ?? 0, changedMs: times[n] ?? 0, ino: inos[n] ?? 0, racy: racy[n] !== 0 };
  }
}
