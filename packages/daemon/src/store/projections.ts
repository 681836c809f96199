/**
 * Writes what each event means for the tables beside the log, in the transaction of the event. Invariant (I1): a rebuild
 * from the log gives, row for row, what incremental writing gave; a row that lags behind the log is folded anew.
 */
import { knownKinds, project, type RequestUsage, type SessionSummary } from '@zerd/core/session/summary';
import type { LoggedEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import type Database from 'better-sqlite3';
import { type EventRow, foldableOf } from './event-row.ts';

export interface Projections {
  /** Carries a session's rows on by its next events, which are not empty. Within the caller's transaction. */
  carryOn(sessionId: SessionId, events: readonly LoggedEvent[]): void;
  /** Folds everything anew. */
  rebuild(): void;
  /** Rebuilds when another build, which knew other kinds of events, wrote last. */
  rebuildIfForeign(): void;
}

/** Raised when a projection changes its meaning. */
const projectionVersion = 4;
/** Events folded at once: bounds the memory of a rebuild. */
const pageSize = 500;

export function createProjections(db: Database.Database): Projections {
  const statements = prepare(db);

  function carryOn(sessionId: SessionId, events: readonly LoggedEvent[]): void {
    const before = (events[0]?.seq ?? 1) - 1;
    write(sessionId, upTo(sessionId, before), events);
  }

  /** The summary after event `seq`. */
  function upTo(sessionId: SessionId, seq: number): SessionSummary | undefined {
    const text = statements.readSummary.get(sessionId);
    const summary = text === undefined ? undefined : (JSON.parse(text) as SessionSummary);
    return (summary?.row.lastSeq ?? 0) === seq ? summary : refold(sessionId, seq);
  }

  function refold(sessionId: SessionId, last: number): SessionSummary | undefined {
    let summary: SessionSummary | undefined;
    for (let after = 0; after < last; after = summary?.row.lastSeq ?? last) {
      const rows = statements.readLog.all(sessionId, after, last, pageSize);
      if (rows.length === 0) break;
      summary = write(
        sessionId,
        summary,
        rows.map((row) => foldableOf(sessionId, row)),
      );
    }
    return summary;
  }

  function write(sessionId: SessionId, from: SessionSummary | undefined, events: readonly LoggedEvent[]) {
    let summary = from;
    for (const logged of events) {
      const projected = project(summary, sessionId, logged);
      summary = projected.summary;
      if (projected.usage !== undefined) statements.writeUsage.run(...usageRow(sessionId, logged, projected.usage));
    }
    if (summary !== undefined) statements.writeSummary.run(sessionId, summary.row.updatedAt, JSON.stringify(summary));
    return summary;
  }

  function rebuild(): void {
    db.transaction(() => {
      db.exec('DELETE FROM sessions; DELETE FROM usage');
      for (const { sessionId, last } of statements.lastSeqs.all()) refold(sessionId, last);
      statements.writeMark.run(buildMark());
    }).immediate();
  }

  return { carryOn, rebuild, rebuildIfForeign: () => void (statements.readMark.get() === buildMark() || rebuild()) };
}

function prepare(db: Database.Database) {
  return {
    readSummary: db.prepare<[string], string>('SELECT summary FROM sessions WHERE session_id = ?').pluck(),
    writeSummary: db.prepare('INSERT OR REPLACE INTO sessions VALUES (?, ?, ?)'),
    writeUsage: db.prepare('INSERT OR REPLACE INTO usage VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'),
    readLog: db.prepare<[string, number, number, number], EventRow>(
      'SELECT seq, at, data FROM events WHERE session_id = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?',
    ),
    lastSeqs: db.prepare<[], { sessionId: SessionId; last: number }>(
      // In the order of their last commits, which that of the rows keeps.
      'SELECT session_id AS sessionId, max(seq) AS last FROM events GROUP BY session_id ORDER BY max(rowid)',
    ),
    readMark: db.prepare<[], string>("SELECT value FROM meta WHERE key = 'projected by'").pluck(),
    writeMark: db.prepare("INSERT OR REPLACE INTO meta VALUES ('projected by', ?)"),
  };
}

function buildMark(): string {
  return [projectionVersion, ...knownKinds()].join(' ');
}

function usageRow(sessionId: SessionId, { seq, at }: LoggedEvent, request: RequestUsage) {
  const { requestId, model, usage, costPico, estimated } = request;
  const { uncached, cacheRead, cacheWrite, cacheWrite1h = 0, output, reasoning = null, reported } = usage;
  const tokens = [uncached, cacheRead, cacheWrite, cacheWrite1h, output, reasoning];
  const own = estimated === undefined ? [null, null] : [estimated.prompt + estimated.output, estimated.costPico];
  return [sessionId, seq, at, requestId, model, ...tokens, reported ? 1 : 0, costPico, ...own];
}
