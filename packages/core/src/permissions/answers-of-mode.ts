/**
 * Decides which open approvals a mode answers: what it allows unasked is granted. What it leaves open stays asked, and so
 * does what it would refuse: a word of the user for one call goes before the mode.
 */
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { Mode } from '@zerd/protocol/common/mode';
import type { OpenCall, SessionState } from '../session/state.ts';
import { prepareCall } from '../tools/prepare-call.ts';
import type { Reach } from './commands/judge-command.ts';
import type { Grants } from './decide.ts';

export type ApprovalAnswered = Extract<SessionEvent, { kind: 'approval.answered' }>;

/** `why`: told with each answer. */
export function answersOfMode(
  { pendingApprovals, openCalls }: Pick<SessionState, 'pendingApprovals' | 'openCalls'>,
  mode: Mode,
  grants?: Grants,
  why = `the mode is ${mode}`,
): readonly ApprovalAnswered[] {
  // Where it must be looked first whether a command stays in the repository, that was done before it was asked.
  const isAllowed = (call: OpenCall) => {
    const prepared = prepareCall(call, { mode, grants: grants && (() => grants) });
    return prepared.kind === 'run' && (prepared.only === undefined || reachesNothing(prepared.only.reach));
  };
  return pendingApprovals
    .filter(({ callId }) => openCalls.some((call) => call.callId === callId && isAllowed(call)))
    .map(({ approvalId, turnId }) => ({
      kind: 'approval.answered',
      turnId,
      approvalId,
      decision: 'granted',
      reason: why,
    }));
}

function reachesNothing({ paths, git }: Reach): boolean {
  return paths.length === 0 && !git;
}
