/**
 * Decides what becomes of a turn that the end of a daemon left open: it goes on by itself, unless it ended one daemon
 * after another, or works for a session that has been told of its end.
 */
import type { Failure } from '@zerd/protocol/common/event';
import type { SessionState } from './state.ts';

export type ResumePlan =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'resume' }
  | { readonly kind: 'close'; readonly failure: Failure };

/** A turn that was resumed so often within this time, and came no further, may be what ends the daemons. */
const mostResumes = 3;
const withinMs = 5 * 60_000;

export function planResume(state: SessionState, now: number): ResumePlan {
  const { turn, created, pendingApprovals, pendingQuestions } = state;
  if (turn === undefined) return { kind: 'nothing' };
  if (created.parent !== undefined) return close('Its daemon stopped; the session that it works for was told so.');
  const waits = pendingApprovals.length + pendingQuestions.length > 0;
  // The time of day may have been set back since.
  const lately = turn.resumedAt.filter((at) => Math.abs(now - at) < withinMs).length;
  if (waits || lately < mostResumes) return { kind: 'resume' };
  return close(
    `The daemon ended ${lately + 1} times in this turn, ${mostResumes} times right after it had gone on. All that was committed is kept; see the daemon's log, and continue the session to go on.`,
  );
}

function close(message: string): ResumePlan {
  return { kind: 'close', failure: { code: 'interrupted', message } };
}
