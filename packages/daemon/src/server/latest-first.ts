/**
 * Puts sessions in the order in which something last happened in them. Invariant: what happened under this daemon is later
 * than what is older than it, and is in the order of its commits, however the time of day was changed (F-15).
 */
import type { SessionId } from '@zerd/protocol/common/ids';
import type { SessionRow } from '@zerd/protocol/common/methods';
import type { Store } from '../base/ports.ts';

export type LatestFirst = (rows: readonly SessionRow[]) => SessionRow[];

export function createLatestFirst(store: Pick<Store, 'onCommit'>): LatestFirst {
  const commits = new Map<SessionId, number>();
  let count = 0;
  store.onCommit((sessionId) => void commits.set(sessionId, ++count));
  const commitOf = ({ sessionId }: SessionRow) => commits.get(sessionId) ?? 0;
  return (rows) => [...rows].sort((a, b) => commitOf(b) - commitOf(a) || b.updatedAt - a.updatedAt);
}
