/** Follows a session until the connection breaks, and keeps what the daemon acknowledged: each event as it was told. */
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { ZerdClient } from '@zerd/protocol/node/client';

export interface Acknowledged {
  /** Events by their number, as JSON. */
  readonly events: Map<number, string>;
  /** The newest number that a request was answered with. */
  answered: number;
}

export async function watchSession(
  client: ZerdClient,
  sessionId: SessionId,
  acknowledged: Acknowledged,
  onEvent: (event: SessionEvent) => void,
): Promise<void> {
  client.onNotice('session/event', (notice) => {
    if (notice.sessionId !== sessionId) return;
    acknowledged.events.set(notice.seq, JSON.stringify(notice.event));
    onEvent(notice.event);
  });
  await client.request('session/subscribe', { sessionId });
}

/** How many acknowledged events the log no longer has, or has otherwise. */
export function lostOf(acknowledged: Acknowledged, log: readonly { seq: number; event: SessionEvent }[]): number {
  const kept = new Map(log.map(({ seq, event }) => [seq, JSON.stringify(event)]));
  const changed = [...acknowledged.events].filter(([seq, json]) => kept.get(seq) !== json).length;
  return changed + Math.max(0, acknowledged.answered - (log.at(-1)?.seq ?? 0));
}
