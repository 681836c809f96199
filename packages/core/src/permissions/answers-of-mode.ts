/**
 * Decides which open approvals a mode answers: what it allows unasked is granted. What it leaves open stays asked, and so
 * does what it would refuse: a word of the user for one call goes before the mode.
 */
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { Mode } from '@zerd/protocol/common/mode';
import type { SessionState } from '../session/state.ts';
import { prepareCall } from '../tools/prepare-call.ts';

export type ApprovalAnswered = Extract<SessionEvent, { kind: 'approval.answered' }>;

export function answersOfMode(
  { pendingApprovals, openCalls }: Pick<SessionState, 'pendingApprovals' | 'openCalls'>,
  mode: Mode,
): readonly ApprovalAnswered[] {
  return pendingApprovals
    .filter(({ callId }) => openCalls.some((call) => call.callId === callId && prepareCall(call, mode).kind === 'run'))
    .map(({ approvalId, turnId }) => ({
      kind: 'approval.answered',
      turnId,
      approvalId,
      decision: 'granted',
      reason: `the mode is ${mode}`,
    }));
}
