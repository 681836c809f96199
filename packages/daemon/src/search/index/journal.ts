/**
 * What was told of files since they were indexed. Invariant: what is noted while something is written stays noted after
 * it, for the writer may have read the file before.
 */
import type { IndexChange, PathKey } from './contract.ts';

export interface Journal {
  note(change: IndexChange): void;
  readonly changed: ReadonlyMap<PathKey, number>;
  readonly removed: ReadonlyMap<PathKey, number>;
  /** A point in time: what is noted later has a higher number. */
  now(): number;
  /** Forgets what was noted up to `until`. */
  forget(until: number, which?: 'removed'): void;
}

export function createJournal(): Journal {
  const changed = new Map<PathKey, number>();
  const removed = new Map<PathKey, number>();
  let tick = 0;
  function drop(from: Map<PathKey, number>, until: number): void {
    for (const [path, at] of from) if (at <= until) from.delete(path);
  }
  return {
    note(change) {
      tick += 1;
      for (const path of change.changed) {
        changed.set(path, tick);
        removed.delete(path);
      }
      for (const path of change.removed) {
        removed.set(path, tick);
        changed.delete(path);
      }
    },
    changed,
    removed,
    now: () => tick,
    forget(until, which) {
      drop(removed, until);
      if (which === undefined) drop(changed, until);
    },
  };
}
