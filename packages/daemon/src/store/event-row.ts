/** How an event lies in its row. `version` is that of its encoding: 1 is the event's JSON as it is. */
import type { LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import { storeFailed } from './failure.ts';

export interface EventRow {
  readonly seq: number;
  readonly at: number;
  readonly data: string;
}

export const encodingVersion = 1;

export function loggedOf(sessionId: SessionId, { seq, at, data }: EventRow): LoggedEvent {
  try {
    return { seq, at, event: JSON.parse(data) as SessionEvent };
  } catch (error) {
    throw storeFailed(`Event ${seq} of ${sessionId} cannot be read`, error, 'The log was left as it is.');
  }
}

/** The same for a fold that must not end at one bad row: what cannot be read counts as an event of an unknown kind. */
export function foldableOf(sessionId: SessionId, row: EventRow): LoggedEvent {
  try {
    return loggedOf(sessionId, row);
  } catch {
    // Not silent: whoever reads this session's log gets the failure from loggedOf.
    return { seq: row.seq, at: row.at, event: { kind: 'unreadable' } as never };
  }
}
