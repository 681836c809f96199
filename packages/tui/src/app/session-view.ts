/**
 * What is known of the session that is shown: a fold of what the daemon tells, pure. Invariant: it holds no more than what
 * was told; another client's doing shows here as one's own does.
 */
import type { EventNotice, Snapshot } from '@zerd/protocol/node/follow';
import type { Arguments } from '../arguments.ts';
import type { Asked } from './ask.ts';
import { nextPending, nothingPending, type Pending } from './session-link.ts';
import { nextStatus, noStatus, type Status } from './status.ts';

export interface SessionView {
  readonly status: Status;
  readonly pending: Pending;
  /** Changes made by the session's edits, newest last. */
  readonly diffs: readonly string[];
}

const mostDiffs = 200;

/** Before anything was told; `wishes`: what a session that is not there yet is begun with. */
export function emptyView(wishes: Arguments['begin']): SessionView {
  const status = { ...noStatus, model: wishes.model ?? '', mode: wishes.mode ?? noStatus.mode };
  return { status, pending: nothingPending, diffs: [] };
}

export function nextView({ status, pending, diffs }: SessionView, notice: EventNotice): SessionView {
  const { event, at } = notice;
  const diff = event.kind === 'toolCall.finished' ? event.diff : undefined;
  return {
    status: nextStatus(status, event, at),
    pending: nextPending(pending, notice),
    diffs: diff === undefined ? diffs : [...diffs, diff].slice(-mostDiffs),
  };
}

/** All that stood when it was opened has been told. */
export function syncedView({ status, diffs }: SessionView, snapshot: Snapshot): SessionView {
  const { costPico, unpricedRequests } = snapshot.session;
  return {
    status: { ...status, sessionPico: costPico, unpriced: unpricedRequests > 0 },
    pending: { approvals: snapshot.pendingApprovals, questions: snapshot.pendingQuestions ?? [] },
    diffs,
  };
}

export function askedOf({ approvals, questions }: Pending): readonly Asked[] {
  return [
    ...approvals.map((approval) => ({ kind: 'approval' as const, id: approval.approvalId, approval })),
    ...questions.map((question) => ({ kind: 'question' as const, id: question.questionId, question })),
  ];
}
