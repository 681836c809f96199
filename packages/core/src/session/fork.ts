/**
 * Decides what a fork begins with: the same events as its source up to a point, then what closes whatever was open
 * there. Invariants: what would be sent is what the source would have sent there, with nothing before the cut changed
 * (I3), and is valid (I12); nothing that runs or waits in the source belongs to the fork.
 */
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import { utf8Length } from '../text/utf8.ts';
import type { OpenCall, SessionState } from './state.ts';

type Created = Extract<SessionEvent, { kind: 'session.created' }>;

export interface ForkPoint {
  readonly sessionId: SessionId;
  /** The last event that is copied. */
  readonly seq: number;
}

/** The first event of a fork, in the place of its source's. A fork of a sub-agent works for nobody. */
export function forkCreated({ parent: _, ...source }: Created, { sessionId, seq }: ForkPoint): Created {
  const origin = source.forkOf?.origin ?? source.forkOf?.sessionId;
  return { ...source, forkOf: { sessionId, seq, ...(origin === undefined ? {} : { origin }) } };
}

/** What follows the copies. `state`: the source as it was after the last of them. */
export function forkClosing(state: SessionState): readonly SessionEvent[] {
  const { turn, openRequest, openCalls, queue, jobs, model, chosenModel } = state;
  const running = [...jobs.values()].filter(({ finished }) => finished === undefined);
  const events: SessionEvent[] = [];
  if (openRequest) {
    const { requestId, turnId } = openRequest;
    events.push({ kind: 'request.failed', requestId, turnId, failure });
  }
  events.push(...openCalls.map(closeCall));
  for (const { jobId } of running)
    events.push({ kind: 'job.finished', jobId, outcome: 'lost', bytes: 0, reason: elsewhere });
  if (chosenModel !== undefined)
    events.push({ kind: 'model.chosen', model, reason: 'the session was forked before another one was asked' });
  for (const { promptId } of queue) events.push({ kind: 'prompt.removed', promptId, reason: 'the session was forked' });
  if (turn) events.push({ kind: 'turn.finished', turnId: turn.turnId, outcome: 'interrupted', failure });
  return events;
}

const elsewhere = 'it goes on, or ended, in the session that this one is a fork of';
const failure = { code: 'interrupted', message: 'The session was forked in the middle of this turn.' };

function closeCall({ turnId, callId, startedAt }: OpenCall): SessionEvent {
  const begun = startedAt !== undefined;
  const shown = begun
    ? 'Not run in this fork: the session that it is a fork of had begun this call, and its result came later. It may have taken effect. Look before you repeat it.'
    : 'Not run in this fork.';
  const outcome = begun ? 'unknown' : 'interrupted';
  return { kind: 'toolCall.finished', turnId, callId, outcome, shown, bytes: utf8Length(shown), durationMs: 0 };
}
