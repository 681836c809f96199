/**
 * Does: after a start, takes up what an earlier daemon left: open turns go on or are closed, as core decides, and waiting
 * prompts begin. Settles when it is decided; the turns themselves go on.
 */
import { planResume } from '@zerd/core/session/resume';
import { pathToWrite } from '@zerd/core/session/rewind';
import type { SessionState } from '@zerd/core/session/state';
import type { SessionId } from '@zerd/protocol/common/ids';
import { isDiskFull } from '../../base/full-disk.ts';
import { sweepBeside } from '../../files/sweep-beside.ts';
import { startIdsAfter } from '../new-id.ts';
import type { TurnParts } from '../parts.ts';
import type { RunningTurns } from '../turns/running-turns.ts';
import { closeOpenTurn } from './close-open-turn.ts';
import { resumeCompaction, resumeTurn } from './resume-turn.ts';

/** `goOn`: begins the next waiting prompt of an idle session. */
export async function recover(
  parts: TurnParts,
  turns: RunningTurns,
  goOn: (sessionId: SessionId) => void,
): Promise<void> {
  await parts.jobs.adopt();
  const sessions = parts.store.sessions();
  for (const { sessionId, updatedAt } of sessions) startIdsAfter(parts.clock, sessionId, updatedAt);
  for (const { sessionId, state } of sessions) if (state !== 'idle') await takeUp(parts, turns, sessionId);
  for (const { sessionId, state, queued = 0 } of sessions) if (state === 'idle' && queued > 0) goOn(sessionId);
}

/** What was being written when the daemon died. */
function pathsBegun({ openCalls }: SessionState): readonly string[] {
  const begun = openCalls.filter(({ startedAt }) => startedAt !== undefined);
  return begun.map(pathToWrite).filter((path) => path !== undefined);
}

async function takeUp(parts: TurnParts, turns: RunningTurns, sessionId: SessionId): Promise<void> {
  const state = parts.book.state(sessionId);
  await sweepBeside(parts.root, pathsBegun(state));
  const plan = planResume(state, parts.clock.wall());
  if (plan.kind !== 'resume' || state.turn === undefined) {
    const end = plan.kind === 'close' ? { outcome: 'interrupted' as const, failure: plan.failure } : undefined;
    await closeOpenTurn(parts, sessionId, end).catch((error: unknown) => {
      // Whoever uses it next closes it; a full disk keeps no daemon from starting.
      if (!isDiskFull(error)) throw error;
      parts.log.error('an open turn could not be closed: the disk is full', { error, sessionId });
    });
    return;
  }
  const { turnId, headless, work } = state.turn;
  const open = { sessionId, turnId, headless };
  const steps = work === 'compaction' ? resumeCompaction : undefined;
  parts.log.info('a turn that was left open goes on', { sessionId, turnId });
  turns.takeUp(open, (signal) => resumeTurn(parts, open, signal), steps);
}
