/**
 * Writes a fork: its first event, copies of the source's events up to a point with the times at which they happened, and
 * what closes them. Invariant: all of it in one transaction, and the log of the source is only read.
 */
import type { LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import type Database from 'better-sqlite3';
import { type EventRow, encodingVersion, foldableOf } from './event-row.ts';
import type { Projections } from './projections.ts';

export interface ForkWrite {
  readonly sessionId: SessionId;
  readonly at: number;
  readonly created: SessionEvent;
  /** The session whose events 2 to `seq` are copied. */
  readonly from: SessionId;
  readonly seq: number;
  readonly closing: readonly SessionEvent[];
}

/** Throws what SQLite throws. */
export type WriteFork = (fork: ForkWrite) => void;

export function createWriteFork(db: Database.Database, projections: Projections): WriteFork {
  const insert = db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)');
  const copy = db.prepare(
    `INSERT INTO events SELECT ?, seq, at, kind, version, data FROM events
     WHERE session_id = ? AND seq BETWEEN 2 AND ? ORDER BY seq`,
  );
  const readOne = db.prepare<[string, number], EventRow>(
    'SELECT seq, at, data FROM events WHERE session_id = ? AND seq = ?',
  );

  function write({ sessionId, at, created, from, seq, closing }: ForkWrite): void {
    const add = (event: SessionEvent, place: number): LoggedEvent => {
      insert.run(sessionId, place, at, event.kind, encodingVersion, JSON.stringify(event));
      return { seq: place, at, event };
    };
    const first = add(created, 1);
    copy.run(sessionId, from, seq);
    const added = closing.map((event, i) => add(event, seq + 1 + i));
    const newest =
      added.length > 0 ? added : [readOne.get(sessionId, seq)].map((row) => row && foldableOf(sessionId, row));
    projections.carryOn(
      sessionId,
      newest.map((event) => event ?? first),
    );
  }

  return db.transaction(write).immediate;
}
