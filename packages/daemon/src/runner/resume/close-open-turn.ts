/**
 * Does: ends a turn that a crash left open: a request as failed, every call with a result that says whether it had begun
 * (I9), a pending approval with its call, and the turn as interrupted. Nothing is run again.
 */
import type { Price } from '@zerd/core/accounting/price';
import { settleChosen } from '@zerd/core/session/chosen-model';
import type { SessionState } from '@zerd/core/session/state';
import type { Failure, SessionEvent, TurnOutcome } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import { describeKnown } from '../../config/models.ts';
import { closeRequest } from '../lost-request.ts';
import type { TurnParts } from '../parts.ts';
import { lostResults } from '../subagent/lost.ts';
import { closeCalls, type JobOfCall } from './close-calls.ts';

export interface OpenEnd {
  readonly outcome: TurnOutcome;
  readonly failure: Failure;
}

/** What ends a request that an earlier daemon had sent. */
export const lostWithDaemon: Failure = {
  code: 'interrupted',
  message:
    'The daemon stopped in the middle of the turn. All that was committed is kept; continue the session to go on.',
};

/** Without an open turn it does nothing. */
export async function closeOpenTurn(
  parts: Pick<TurnParts, 'book' | 'jobs' | 'readConfig'>,
  sessionId: SessionId,
  end: OpenEnd = { outcome: 'interrupted', failure: lostWithDaemon },
): Promise<void> {
  const { book, jobs } = parts;
  const lost = lostResults(book, sessionId);
  if (lost.length > 0) await book.append(sessionId, lost);
  const state = book.state(sessionId);
  const events = [
    ...closeRequest(state, end.failure, priceIn(parts)),
    ...closingEvents(state, (callId) => jobs.jobOfCall(sessionId, callId), end),
  ];
  if (events.length > 0) await book.append(sessionId, events);
}

/** `jobOf`: the command of a call that an earlier daemon began and that is a job from now on. */
function closingEvents(state: SessionState, jobOf: JobOfCall, end: OpenEnd): readonly SessionEvent[] {
  if (!state.turn) return [];
  const { turnId } = state.turn;
  return [...closeCalls(state.openCalls, jobOf), { kind: 'turn.finished', turnId, ...end }, ...settleChosen(state)];
}

/** By the settings as they are now. */
export function priceIn({ readConfig }: Pick<TurnParts, 'readConfig'>): (model: string) => Price | null {
  return (model) => describeKnown(readConfig(), model)?.price ?? null;
}
