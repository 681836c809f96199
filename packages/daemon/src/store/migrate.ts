/**
 * Brings a database to this build's schema by numbered steps; `user_version` is the number of the last one applied.
 * Invariants: all steps of a build and their number are committed together or not at all, so that the release before can
 * go on where one fails (F-30); a newer database is refused untouched; a step that was released is never edited.
 */
import { randomUUID } from 'node:crypto';
import { ZerdError } from '@zerd/protocol/common/errors';
import type Database from 'better-sqlite3';

/** Step n brings version n - 1 to n; the first is 1. */
export const migrations: readonly ((db: Database.Database) => void)[] = [
  createTables,
  addMaintenance,
  addFolds,
  addEstimates,
];

/** Throws store_unsafe when the database is of a newer build. Reads only. */
export function refuseNewer(db: Database.Database, file: string, steps = migrations): void {
  const version = versionOf(db);
  if (version <= steps.length) return;
  const message =
    `The session database ${file} was written by a newer zerd (schema ${version}; this build knows ${steps.length}). ` +
    'It was left as it is. Update zerd, or set XDG_STATE_HOME to another folder.';
  throw new ZerdError('store_unsafe', message);
}

export function migrate(db: Database.Database, steps = migrations): void {
  const from = versionOf(db);
  if (from >= steps.length) return;
  db.transaction(() => {
    for (const step of steps.slice(from)) step(db);
    db.pragma(`user_version = ${steps.length}`);
  }).immediate();
}

function versionOf(db: Database.Database): number {
  return Number(db.pragma('user_version', { simple: true }));
}

/**
 * The trigger on INSERT keeps `seq` without holes and closes the way around the other two: INSERT OR REPLACE deletes
 * without firing a DELETE trigger.
 */
function createTables(db: Database.Database): void {
  db.exec(`
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

    CREATE TABLE events (
      session_id TEXT NOT NULL,
      seq INTEGER NOT NULL,
      at INTEGER NOT NULL,
      kind TEXT NOT NULL,
      version INTEGER NOT NULL,
      data TEXT NOT NULL,
      PRIMARY KEY (session_id, seq)
    ) STRICT;

    CREATE TRIGGER events_never_change BEFORE UPDATE ON events
    BEGIN SELECT RAISE(ABORT, 'events are append-only: no UPDATE'); END;
    CREATE TRIGGER events_never_go BEFORE DELETE ON events
    BEGIN SELECT RAISE(ABORT, 'events are append-only: no DELETE'); END;
    CREATE TRIGGER events_without_holes BEFORE INSERT ON events
    WHEN new.seq <> 1 + coalesce((SELECT max(seq) FROM events WHERE session_id = new.session_id), 0)
    BEGIN SELECT RAISE(ABORT, 'events are append-only: seq must follow the last one'); END;

    -- Projections: foldable from events at any time.
    CREATE TABLE sessions (
      session_id TEXT PRIMARY KEY,
      updated_at INTEGER NOT NULL,
      summary TEXT NOT NULL
    ) STRICT;
    CREATE TABLE usage (
      session_id TEXT NOT NULL,
      seq INTEGER NOT NULL,
      at INTEGER NOT NULL,
      request_id TEXT NOT NULL,
      model TEXT NOT NULL,
      uncached INTEGER NOT NULL,
      cache_read INTEGER NOT NULL,
      cache_write INTEGER NOT NULL,
      cache_write_1h INTEGER NOT NULL,
      output INTEGER NOT NULL,
      reasoning INTEGER,
      reported INTEGER NOT NULL,
      cost_pico INTEGER,
      PRIMARY KEY (session_id, seq)
    ) STRICT;
  `);
  db.prepare('INSERT INTO meta VALUES (?, ?)').run('epoch', randomUUID());
}

/** What was removed or forgotten, and what the removed had cost: money that was spent stays counted. */
function addMaintenance(db: Database.Database): void {
  db.exec(`
    CREATE TABLE maintenance (at INTEGER NOT NULL, kind TEXT NOT NULL, data TEXT NOT NULL) STRICT;
    CREATE TABLE gone_usage (
      session_id TEXT NOT NULL,
      seq INTEGER NOT NULL,
      at INTEGER NOT NULL,
      request_id TEXT NOT NULL,
      model TEXT NOT NULL,
      uncached INTEGER NOT NULL,
      cache_read INTEGER NOT NULL,
      cache_write INTEGER NOT NULL,
      cache_write_1h INTEGER NOT NULL,
      output INTEGER NOT NULL,
      reasoning INTEGER,
      reported INTEGER NOT NULL,
      cost_pico INTEGER,
      PRIMARY KEY (session_id, seq)
    ) STRICT;
  `);
}

/** Folds of long sessions as one build made them, so that not the whole log need be read: each can be made again of it. */
function addFolds(db: Database.Database): void {
  db.exec(`
    CREATE TABLE folds (
      session_id TEXT PRIMARY KEY,
      seq INTEGER NOT NULL,
      build TEXT NOT NULL,
      state BLOB NOT NULL
    ) STRICT;
  `);
}

/** What requests may have come to whose provider reported nothing: beside what was reported. */
function addEstimates(db: Database.Database): void {
  for (const table of ['usage', 'gone_usage'])
    db.exec(`
      ALTER TABLE ${table} ADD COLUMN estimated_tokens INTEGER;
      ALTER TABLE ${table} ADD COLUMN estimated_pico INTEGER;
    `);
}
