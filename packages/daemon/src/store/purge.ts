/**
 * Writes the database anew behind what was removed: deleted rows leave their bytes in free pages, and in the log beside
 * the file, until both are. Invariant: a purge that is due stands in the database itself until it was made, so that no
 * crash and no full disk forgets it.
 */
import type Database from 'better-sqlite3';
import type { Log } from '../base/log.ts';

export interface Purge {
  /** Within the transaction that removes. */
  due(): void;
  isDue(): boolean;
  /** Throws where there is no room; then it stays due. */
  now(): void;
  /** As `now`, but what is in its way is only noted. */
  orLater(): void;
  /** What an earlier process left. */
  ifLeft(): void;
}

export function createPurge(db: Database.Database, log: Log): Purge {
  const mark = db.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES ('purge', 'due')");
  const unmark = db.prepare("DELETE FROM meta WHERE key = 'purge'");
  const find = db.prepare("SELECT 1 FROM meta WHERE key = 'purge'");
  const isDue = () => find.get() !== undefined;

  function now(): void {
    db.exec('VACUUM');
    unmark.run();
    db.pragma('wal_checkpoint(TRUNCATE)');
  }

  function orLater(): void {
    try {
      now();
    } catch (error) {
      log.warn('bytes of what was removed stay in the database until there is room to write it anew', { error });
    }
  }

  return { due: () => void mark.run(), isDue, now, orLater, ifLeft: () => (isDue() ? orLater() : undefined) };
}
