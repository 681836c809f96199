/**
 * Reads sessions out of a database without a daemon: the one in use, or a damaged one that was moved aside. Invariants:
 * nothing of it is changed, no byte of it; what cannot be read is left out and counted, and the rest comes in order.
 */
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { project, type SessionSummary } from '@zerd/core/session/summary';
import type { LoggedEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import Database from 'better-sqlite3';
import { type EventRow, loggedOf } from './event-row.ts';
import { messageOf } from './failure.ts';

export interface Salvaged {
  readonly sessionId: SessionId;
  readonly events: readonly LoggedEvent[];
  readonly summary: SessionSummary;
  /** Events up to the last one found that could not be read. */
  readonly missing: number;
}

export interface SalvagedFile extends Disposable {
  /** The sessions that are found in it, the newest first. */
  sessions(): readonly SessionId[];
  session(sessionId: SessionId): Salvaged | undefined;
}

/** The database and its damaged predecessors in a state folder, in the order in which they are asked. */
export function databasesIn(folder: string, name: string): readonly string[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const aside = names.filter((one) => one.startsWith(`${name}.damaged-`) && !/-(?:wal|shm)$/.test(one));
  return [...(names.includes(name) ? [name] : []), ...aside.sort().reverse()].map((one) => join(folder, one));
}

/** A copy is read: SQLite would write beside the original. Throws what SQLite throws where nothing can be read at all. */
export function openSalvage(file: string): SalvagedFile {
  const folder = mkdtempSync(join(tmpdir(), 'zerd-salvage-'));
  const close = () => rmSync(folder, { recursive: true, force: true });
  try {
    for (const part of ['', '-wal'])
      if (existsSync(file + part)) copyFileSync(file + part, join(folder, basename(file) + part));
    const db = new Database(join(folder, basename(file)));
    // It is a copy. With this, SQLite reads what there is of a file that was cut short.
    db.unsafeMode(true);
    db.pragma('writable_schema = ON');
    return {
      ...readerOf(db),
      [Symbol.dispose]() {
        db.close();
        close();
      },
    };
  } catch (error) {
    close();
    throw new Error(`${file} cannot be read (${messageOf(error)}). Try: sqlite3 '${file}' .recover`);
  }
}

interface Row extends EventRow {
  readonly id: number;
  readonly session: SessionId;
}

const columns = 'rowid AS id, session_id AS session, seq, at, data';
const pageRows = 100;
/** Rows in a row that are not there: the end. */
const mostHoles = 20_000;

function readerOf(db: Database.Database): Omit<SalvagedFile, keyof Disposable> {
  // The schema must be readable, else nothing is.
  const page = db.prepare<[number, number], Row>(
    `SELECT ${columns} FROM events WHERE rowid > ? ORDER BY rowid LIMIT ?`,
  );
  const one = db.prepare<[number], Row>(`SELECT ${columns} FROM events WHERE rowid = ?`);

  /** In the order of their commits. Where a page cannot be read, each of its rows is tried alone. */
  function* rows(): Iterable<Row> {
    for (let last = 0, holes = 0; holes < mostHoles; ) {
      const found = tried(() => page.all(last, pageRows));
      if (found?.length === 0) return;
      if (found !== undefined) {
        yield* found;
        last = found.at(-1)?.id ?? last;
        holes = 0;
        continue;
      }
      for (const end = last + pageRows; last < end; last += 1) {
        const row = tried(() => one.get(last + 1));
        holes = row === undefined ? holes + 1 : 0;
        if (row !== undefined) yield row;
      }
    }
  }

  function sessions(): readonly SessionId[] {
    const newest = new Map<SessionId, number>();
    for (const { id, session } of rows()) newest.set(session, id);
    return [...newest].sort(([, a], [, b]) => b - a).map(([session]) => session);
  }

  function session(sessionId: SessionId): Salvaged | undefined {
    const bySeq = new Map<number, LoggedEvent>();
    for (const row of rows()) {
      const logged = row.session === sessionId ? tried(() => loggedOf(sessionId, row)) : undefined;
      if (logged !== undefined) bySeq.set(logged.seq, logged);
    }
    const events = [...bySeq.values()].sort((a, b) => a.seq - b.seq);
    let summary: SessionSummary | undefined;
    for (const logged of events) summary = project(summary, sessionId, logged).summary;
    const last = events.at(-1);
    return summary && last && { sessionId, events, summary, missing: last.seq - events.length };
  }

  return { sessions, session };
}

/** Undefined: it could not be read. That is what is expected here. */
function tried<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
