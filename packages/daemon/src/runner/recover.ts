/**
 * Decides what ends a turn that a crash left open: a request as failed, every call with a result that says whether it
 * had begun (I9), a pending approval with its call, and the turn as interrupted. Nothing is run again.
 */
import type { SessionState } from '@zerd/core/session/state';
import type { Failure, SessionEvent } from '@zerd/protocol/common/event';
import { closeCalls, type JobOfCall } from './close-calls.ts';

const failure: Failure = {
  code: 'interrupted',
  message:
    'The daemon stopped in the middle of the turn. All that was committed is kept; continue the session to go on.',
};

/** `jobOf`: the command of a call that an earlier daemon began and that is a job from now on. */
export function closingEvents(state: SessionState, jobOf: JobOfCall): readonly SessionEvent[] {
  const { turn, openRequest } = state;
  const request: readonly SessionEvent[] = openRequest
    ? [{ kind: 'request.failed', requestId: openRequest.requestId, turnId: openRequest.turnId, failure }]
    : [];
  if (!turn) return request;
  const { turnId } = turn;
  return [
    ...request,
    ...closeCalls(state.openCalls, jobOf),
    { kind: 'turn.finished', turnId, outcome: 'interrupted', failure },
  ];
}
