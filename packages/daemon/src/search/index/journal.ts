/**
 * What was told of files since they were indexed. Invariant: what is noted while something is written stays noted after
 * it, for the writer may have read the file before. Of too many only that there were is kept: then nothing is answered
 * from the index until it is built anew.
 */
import type { IndexChange, PathKey } from './contract.ts';

export interface Journal {
  note(change: IndexChange): void;
  readonly changed: ReadonlyMap<PathKey, number>;
  readonly removed: ReadonlyMap<PathKey, number>;
  /** More was told than is kept. */
  isLost(): boolean;
  /** A point in time: what is noted later has a higher number. */
  now(): number;
  /** Forgets what was noted up to `until`. */
  forget(until: number, which?: 'removed'): void;
}

/** A switch of branches of more files is one for which the index is built anew sooner than added to. */
export const mostNoted = 20_000;

export function createJournal(most = mostNoted): Journal {
  const changed = new Map<PathKey, number>();
  const removed = new Map<PathKey, number>();
  let tick = 0;
  let lostAt: number | undefined;
  function drop(from: Map<PathKey, number>, until: number): void {
    for (const [path, at] of from) if (at <= until) from.delete(path);
  }
  /** What is noted from now on is kept again: a build that began later needs it. */
  function lose(): void {
    lostAt = tick;
    changed.clear();
    removed.clear();
  }
  return {
    note(change) {
      tick += 1;
      if (changed.size + removed.size + change.changed.length + change.removed.length > most) return lose();
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
    isLost: () => lostAt !== undefined,
    now: () => tick,
    forget(until, which) {
      // A merge reads no file anew.
      if (which === undefined && lostAt !== undefined && lostAt <= until) lostAt = undefined;
      drop(removed, until);
      if (which === undefined) drop(changed, until);
    },
  };
}
