/**
 * Keeps one fold a session as bytes, beside the log. Invariant (I1): it is what the same build makes of the log up to its
 * `seq`, or it is not found; it is gone as soon as anything of that part of the log changes.
 */
import type Database from 'better-sqlite3';
import type { FoldShelf } from '../base/ports.ts';
import { storeFailed } from './failure.ts';

export function createFolds(db: Database.Database): FoldShelf {
  const find = db.prepare<[string, string], { seq: number; state: Buffer }>(
    'SELECT seq, state FROM folds WHERE session_id = ? AND build = ?',
  );
  const keep = db.prepare('INSERT OR REPLACE INTO folds VALUES (?, ?, ?, ?)');
  return {
    find: (sessionId, build) => find.get(sessionId, build),
    keep(sessionId, build, { seq, state }) {
      try {
        keep.run(sessionId, seq, build, state);
      } catch (error) {
        throw storeFailed(`A fold of ${sessionId} could not be kept`, error, 'The log is as it was.');
      }
    },
  };
}
