/**
 * The two exceptions to the append-only log, each a transaction that records itself: a session is removed, a secret is
 * forgotten. Invariants: money that was spent stays counted; what a crash interrupts is whole before or after; nothing
 * of what was removed is left in the file of the database.
 */
import { randomUUID } from 'node:crypto';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import type Database from 'better-sqlite3';
import { isDiskFull } from '../base/full-disk.ts';
import type { Log } from '../base/log.ts';
import type { BodyStore } from './archive-bodies.ts';
import { storeFailed } from './failure.ts';
import type { Projections } from './projections.ts';
import { createPurge } from './purge.ts';
import { usageColumns } from './queries.ts';
import { idsIn, type Rewrite, rewriteEvent } from './rewrite-event.ts';

export interface ForgetReport {
  /** Events and archived bodies that held it. */
  readonly events: number;
  readonly bodies: number;
  /** Other files of the state folder that held it. */
  readonly files: number;
}

export interface Maintenance {
  /**
   * Its events, and what only they named in the archive. Where there is no room to write the database anew, the bytes of
   * what was removed stay in it until the next purge.
   */
  removeSession(sessionId: SessionId): Promise<void>;
  forget(secret: string): Promise<ForgetReport>;
  /** Bytes of what was removed are in the file yet. */
  leftBytes(): boolean;
}

interface Parts {
  readonly db: Database.Database;
  readonly projections: Projections;
  readonly bodies: BodyStore;
  /** Writes the other files of the state folder anew; how many held it. */
  readonly rewriteFiles: (secret: string, replacement: string) => Promise<number>;
  readonly now: () => number;
  /** Gives a little room on a full disk, once; false: there is none. */
  readonly releaseReserve: () => boolean;
  readonly log: Log;
}

/** Rows read at once. */
const pageSize = 500;

export function createMaintenance({ db, projections, bodies, rewriteFiles, now, ...parts }: Parts): Maintenance {
  const record = db.prepare('INSERT INTO maintenance (at, kind, data) VALUES (?, ?, ?)');
  const note = (kind: string, data: object) => record.run(Math.round(now()), kind, JSON.stringify(data));

  const purge = createPurge(db, parts.log);
  purge.ifLeft();

  async function removeSession(sessionId: SessionId): Promise<void> {
    const named = await namedBodies(db, 'session_id = ?', sessionId);
    inReserve(parts.releaseReserve, () => removeRows(sessionId));
    const others = new Set([...(await namedBodies(db, 'session_id <> ?', sessionId))].map(beginning));
    // These first: what they took is room for the rest.
    await bodies.remove([...named].filter((id) => !others.has(beginning(id))));
    purge.orLater();
  }

  function removeRows(sessionId: SessionId): void {
    transaction(db, () => {
      const { changes } = db.prepare('DELETE FROM events WHERE session_id = ?').run(sessionId);
      db.prepare(
        `INSERT OR REPLACE INTO gone_usage (${usageColumns}) SELECT ${usageColumns} FROM usage WHERE session_id = ?`,
      ).run(sessionId);
      db.prepare('DELETE FROM usage WHERE session_id = ?').run(sessionId);
      db.prepare('DELETE FROM sessions WHERE session_id = ?').run(sessionId);
      db.prepare('DELETE FROM folds WHERE session_id = ?').run(sessionId);
      note('session.removed', { sessionId, events: changes });
      purge.due();
    });
  }

  async function forget(secret: string): Promise<ForgetReport> {
    const renamed = await bodies.rewrite(secret, replacement);
    const rewrite: Rewrite = { secret, replacement, renamed };
    let events = 0;
    transaction(db, () => {
      const update = db.prepare('UPDATE events SET data = ? WHERE rowid = ?');
      for (const { rowid, data } of allRows(db)) {
        const changed = rewriteEvent(JSON.parse(data) as SessionEvent, rewrite);
        if (changed === undefined) continue;
        update.run(JSON.stringify(changed), rowid);
        events += 1;
      }
      db.exec('DELETE FROM folds');
      note('secret.forgotten', { events, bodies: renamed.size });
      purge.due();
      // Whoever knows the events as they were begins anew.
      if (events > 0) db.prepare("UPDATE meta SET value = ? WHERE key = 'epoch'").run(randomUUID());
    });
    if (events > 0) projections.rebuild();
    // Only now does nothing name the old bodies any more.
    await bodies.removeRenamed(renamed);
    purge.now();
    return { events, bodies: renamed.size, files: await rewriteFiles(secret, replacement) };
  }

  return {
    removeSession: (sessionId) => orStoreFailed('The session could not be removed', () => removeSession(sessionId)),
    forget: (secret) => orStoreFailed('The secret could not be forgotten', () => forget(secret)),
    leftBytes: purge.isDue,
  };
}

/** One names a body by its id, another by its whole hash. */
const beginning = (id: string) => id.slice(0, 12);

/** What stands in its place: it says that something was there, and nothing of it. */
const replacement = '[forgotten]';

/** Without the triggers that guard the log; they stand again when it is committed, and after a crash. */
function transaction(db: Database.Database, change: () => void): void {
  const guards = db
    .prepare<[], { name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name IN ('events_never_change', 'events_never_go')",
    )
    .all();
  db.transaction(() => {
    for (const { name } of guards) db.exec(`DROP TRIGGER ${name}`);
    change();
    for (const { sql } of guards) db.exec(sql);
  }).immediate();
}

/** On a full disk a session is removed in the room that was kept: whoever removes one wants room. */
function inReserve(releaseReserve: () => boolean, remove: () => void): void {
  try {
    remove();
  } catch (error) {
    if (!isDiskFull(error) || !releaseReserve()) throw error;
    remove();
  }
}

async function namedBodies(db: Database.Database, where: string, sessionId: SessionId): Promise<Set<string>> {
  const page = db.prepare<[SessionId, number, number], { rowid: number; data: string }>(
    `SELECT rowid, data FROM events WHERE ${where} AND rowid > ? ORDER BY rowid LIMIT ?`,
  );
  const named = new Set<string>();
  for (let last = 0; ; ) {
    const rows = page.all(sessionId, last, pageSize);
    for (const { data } of rows) for (const id of idsIn(data)) named.add(id);
    last = rows.at(-1)?.rowid ?? last;
    if (rows.length < pageSize) return named;
    // A long log is read in slices: the daemon serves others meanwhile.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function* allRows(db: Database.Database): Iterable<{ rowid: number; data: string }> {
  const page = db.prepare<[number, number], { rowid: number; data: string }>(
    'SELECT rowid, data FROM events WHERE rowid > ? ORDER BY rowid LIMIT ?',
  );
  for (let last = 0; ; ) {
    const rows = page.all(last, pageSize);
    yield* rows;
    last = rows.at(-1)?.rowid ?? last;
    if (rows.length < pageSize) return;
  }
}

async function orStoreFailed<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storeFailed(what, error, 'Ask again: what of it was done is not done twice.');
  }
}
