/** Finds the sub-agents of a session among the rows of all sessions, those of its sub-agents included, and adds them up. */
import type { SessionId } from '@zerd/protocol/common/ids';
import type { SessionRow } from '@zerd/protocol/common/methods';
import type { Spent } from './wording.ts';

/** In the order of the rows; `sessionId` itself is not among them. */
export function descendants(rows: readonly SessionRow[], sessionId: SessionId): readonly SessionRow[] {
  const found = new Set<SessionId>([sessionId]);
  let before = 0;
  while (found.size > before) {
    before = found.size;
    for (const row of rows) if (row.parentId !== undefined && found.has(row.parentId)) found.add(row.sessionId);
  }
  return rows.filter((row) => row.sessionId !== sessionId && found.has(row.sessionId));
}

/** By a session and all below it. */
export function spentBy(rows: readonly SessionRow[], sessionId: SessionId): Spent {
  const tree = [...rows.filter((row) => row.sessionId === sessionId), ...descendants(rows, sessionId)];
  return {
    requests: tree.reduce((sum, row) => sum + row.requests, 0),
    costPico: tree.reduce((sum, row) => sum + row.costPico, 0),
    unpricedRequests: tree.reduce((sum, row) => sum + row.unpricedRequests, 0),
  };
}
