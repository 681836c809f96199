/**
 * Gathers what changed and hands it on in slices. Invariant: of one path the last word counts, and the order of slices is
 * the order of events.
 */
import type { IndexChange } from '../index/contract.ts';
import { keyOfName } from './names.ts';

export interface Changes {
  changed(path: string): void;
  removed(path: string): void;
  /** Hands on what is gathered. */
  flush(): void;
}

/** So few that who takes a slice is held up for some milliseconds at most. */
export const sliceSize = 250;

export function createChanges(hand: (change: IndexChange) => void): Changes {
  const gathered = new Map<string, boolean>();

  function put(path: string, isThere: boolean): void {
    gathered.set(path, isThere);
    if (gathered.size >= sliceSize) flush();
  }

  function flush(): void {
    if (gathered.size === 0) return;
    const changed: string[] = [];
    const removed: string[] = [];
    for (const [path, isThere] of gathered) (isThere ? changed : removed).push(keyOfName(path));
    gathered.clear();
    hand({ changed, removed });
  }

  return { changed: (path) => put(path, true), removed: (path) => put(path, false), flush };
}
