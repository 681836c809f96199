/** Reads the log and its projections. What a newer build logged under kinds unknown to this one is passed over. */
import { estimates } from '@zerd/core/accounting/totals';
import { knownKinds, type SessionSummary } from '@zerd/core/session/summary';
import type { LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { SessionRow, Totals } from '@zerd/protocol/common/methods';
import type Database from 'better-sqlite3';
import type { Store } from '../base/ports.ts';
import { type EventRow, loggedOf } from './event-row.ts';
import { codeOf, storeFailed } from './failure.ts';

export type Queries = Pick<Store, 'epoch' | 'read' | 'session' | 'sessions' | 'totals' | 'totalsSince' | 'raisesSince'>;

export function createQueries(db: Database.Database): Queries {
  const statements = prepare(db);
  const rowOf = (summary: string): SessionRow => (JSON.parse(summary) as SessionSummary).row;

  function read(sessionId: SessionId, after = 0, limit = -1): readonly LoggedEvent[] {
    return statements.read.all(sessionId, after, limit).map((row) => loggedOf(sessionId, row));
  }

  function session(sessionId: SessionId): SessionRow | undefined {
    const summary = statements.session.get(sessionId);
    return summary === undefined ? undefined : rowOf(summary);
  }

  function totals(sessionId?: SessionId) {
    const wanted = { sessionId: sessionId ?? null };
    const byModel = statements.byModel.all(wanted).map(({ model, ...sums }) => ({ model, totals: totalsIn(sums) }));
    return { totals: totalsIn(statements.totals.get(wanted) as Totals), byModel };
  }

  function raisesSince(at: number) {
    return statements.raises.all(at).map((data) => JSON.parse(data) as Raised);
  }

  const epoch = String(statements.epoch.get());
  const sessions = () => statements.sessions.all().map(rowOf);
  const totalsSince = (at: number) => totalsIn(statements.since.get({ sessionId: null, at }) as Totals);
  return {
    epoch,
    read: named(read),
    session: named(session),
    sessions: named(sessions),
    totals: named(totals),
    totalsSince: named(totalsSince),
    raisesSince: named(raisesSince),
  };
}

/** A disk or a database that fails is told as such, with what to do (F-39). */
function named<A extends unknown[], R>(query: (...given: A) => R): (...given: A) => R {
  return (...given) => {
    try {
      return query(...given);
    } catch (error) {
      if (codeOf(error) === '') throw error;
      throw storeFailed(
        'The session database cannot be read',
        error,
        'Nothing was changed. Mend the disk, then ask again.',
      );
    }
  };
}

/** Zeros of what was estimated are left out. */
function totalsIn({ estimatedPico = 0, estimatedTokens = 0, ...sums }: Totals): Totals {
  return { ...sums, ...estimates(estimatedPico, estimatedTokens) };
}

type Raised = Extract<SessionEvent, { kind: 'budget.raised' }>;

/** What both tables of usage have; `gone_usage` keeps what removed sessions cost. */
export const usageColumns =
  'session_id, seq, at, request_id, model, uncached, cache_read, cache_write, cache_write_1h, output, reasoning, reported, cost_pico, estimated_tokens, estimated_pico';

function prepare(db: Database.Database) {
  const kinds = knownKinds().map((kind) => `'${kind}'`);
  const sums = `
    count(*) AS requests, coalesce(sum(uncached), 0) AS uncached, coalesce(sum(cache_read), 0) AS cacheRead,
    coalesce(sum(cache_write), 0) AS cacheWrite, coalesce(sum(output), 0) AS output,
    coalesce(sum(cost_pico), 0) AS costPico, count(*) - count(cost_pico) AS unpricedRequests,
    coalesce(sum(estimated_tokens), 0) AS estimatedTokens, coalesce(sum(estimated_pico), 0) AS estimatedPico
    FROM (SELECT ${usageColumns} FROM usage UNION ALL SELECT ${usageColumns} FROM gone_usage)
    WHERE (@sessionId IS NULL OR session_id = @sessionId)`;
  return {
    epoch: db.prepare("SELECT value FROM meta WHERE key = 'epoch'").pluck(),
    read: db.prepare<[string, number, number], EventRow>(
      `SELECT seq, at, data FROM events WHERE session_id = ? AND seq > ? AND kind IN (${kinds.join()}) ORDER BY seq LIMIT ?`,
    ),
    session: db.prepare<[string], string>('SELECT summary FROM sessions WHERE session_id = ?').pluck(),
    // Each write gives a row the highest rowid: the order of the commits, whatever the time of day was (F-15).
    sessions: db.prepare<[], string>('SELECT summary FROM sessions ORDER BY rowid DESC').pluck(),
    totals: db.prepare<[{ sessionId: string | null }], Totals>(`SELECT ${sums}`),
    since: db.prepare<[{ sessionId: null; at: number }], Totals>(`SELECT ${sums} AND at >= @at`),
    raises: db
      .prepare<[number], string>("SELECT data FROM events WHERE kind = 'budget.raised' AND at >= ? ORDER BY at")
      .pluck(),
    byModel: db.prepare<[{ sessionId: string | null }], Totals & { model: string }>(
      `SELECT model, ${sums} GROUP BY model ORDER BY costPico DESC, model`,
    ),
  };
}
