/**
 * Commits a batch of appends: events and projections in one transaction, so in one sync of the disk. Invariants: `seq`
 * has no holes within its session; either the whole batch is kept or nothing of it.
 */
import type { LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import type Database from 'better-sqlite3';
import { encodingVersion } from './event-row.ts';
import type { Projections } from './projections.ts';

/** Events of one session, already encoded: what a caller changes afterwards no longer matters. */
export interface Append {
  readonly sessionId: SessionId;
  readonly at: number;
  readonly events: readonly { readonly event: SessionEvent; readonly data: string }[];
}

/** Answers with the events of each append as the log now holds them. Throws what SQLite throws. */
export type WriteBatch = (batch: readonly Append[]) => readonly (readonly LoggedEvent[])[];

export function createWriteBatch(db: Database.Database, projections: Projections): WriteBatch {
  const readLast = db
    .prepare<[string], number>('SELECT coalesce(max(seq), 0) FROM events WHERE session_id = ?')
    .pluck();
  const insert = db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)');

  function write({ sessionId, at, events }: Append): readonly LoggedEvent[] {
    const last = readLast.get(sessionId) ?? 0;
    const logged = events.map(({ event, data }, index) => {
      const seq = last + 1 + index;
      insert.run(sessionId, seq, at, event.kind, encodingVersion, data);
      return { seq, at, event };
    });
    projections.carryOn(sessionId, logged);
    return logged;
  }

  return db.transaction((batch: readonly Append[]) => batch.map(write)).immediate;
}
