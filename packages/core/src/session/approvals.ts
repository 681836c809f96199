/**
 * What is asked of the user about calls, as a part of the fold. Invariant: an approval that can no longer be answered is
 * closed: answered itself, or its call or turn has ended.
 */
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { CallId } from '@zerd/protocol/common/ids';
import type { Growth } from './growth.ts';
import type { CallApproval, OpenApproval, OpenCall, SessionState } from './state.ts';
import { gotFurther } from './turns.ts';

type EventOf<K extends SessionEvent['kind']> = Extract<SessionEvent, { kind: K }>;
type Change = Partial<SessionState>;

export function requestApproval(state: SessionState, event: EventOf<'approval.requested'>, at: number): Change {
  const { approvalId, turnId, callId, tool, asks, digest, always } = event;
  const approval: CallApproval = { approvalId, digest, decision: 'pending', reason: undefined };
  const pending: OpenApproval = {
    approvalId,
    turnId,
    callId,
    tool,
    asks,
    digest,
    requestedAt: at,
    ...(always && { always }),
  };
  return {
    pendingApprovals: [...state.pendingApprovals, pending],
    openCalls: changeCall(state.openCalls, callId, (call) => ({ ...call, approval })),
  };
}

export function answerApproval(
  state: SessionState,
  { approvalId, turnId, decision, reason }: EventOf<'approval.answered'>,
  grow: Growth,
): Change {
  const openCalls = state.openCalls.map((call) =>
    call.approval?.approvalId === approvalId ? { ...call, approval: { ...call.approval, decision, reason } } : call,
  );
  return {
    openCalls,
    turn: gotFurther(state.turn, turnId),
    ...closeApprovals(state, grow, (pending) => pending.approvalId === approvalId),
  };
}

export function changeCall(calls: readonly OpenCall[], callId: CallId, change: (call: OpenCall) => OpenCall) {
  return calls.map((call) => (call.callId === callId ? change(call) : call));
}

export function closeApprovals(state: SessionState, grow: Growth, closes: (pending: OpenApproval) => boolean): Change {
  const closed = state.pendingApprovals.filter(closes);
  if (closed.length === 0) return {};
  return {
    pendingApprovals: state.pendingApprovals.filter((pending) => !closes(pending)),
    closedApprovals: grow.add(
      state.closedApprovals,
      closed.map((pending) => pending.approvalId),
    ),
  };
}
