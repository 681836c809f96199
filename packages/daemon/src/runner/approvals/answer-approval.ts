/**
 * Does: settles an approval. The first answer that fits the digest is committed and then acted on; a later one is told
 * that it came too late, and one for another call than was shown is refused.
 */
import { ZerdError } from '@zerd/protocol/common/errors';
import type { TurnParts } from '../parts.ts';
import type { Runner } from '../runner.ts';

type Answer = Parameters<Runner['answer']>[0];

export async function answerApproval(
  parts: TurnParts,
  { sessionId, approvalId, digest, decision, reason, by }: Answer,
): Promise<void> {
  const state = parts.book.state(sessionId);
  const pending = state.pendingApprovals.find((approval) => approval.approvalId === approvalId);
  if (!pending && state.closedApprovals.has(approvalId)) throw alreadyAnswered(approvalId);
  if (!pending) throw new ZerdError('unknown_approval', `Session ${sessionId} has no approval ${approvalId}.`);
  if (pending.digest !== digest) {
    throw new ZerdError(
      'invalid_params',
      `The answer is for another call than approval ${approvalId} asks for. Read the session again.`,
    );
  }
  const verdict = { decision, ...(reason === undefined ? {} : { reason }) };
  const { turnId } = pending;
  const commit = () =>
    parts.book.append(sessionId, [{ kind: 'approval.answered', turnId, approvalId, ...verdict, ...(by && { by }) }]);
  if (!(await parts.gate.settle(approvalId, verdict, commit))) throw alreadyAnswered(approvalId);
}

function alreadyAnswered(approvalId: string): ZerdError {
  return new ZerdError('already_resolved', `Approval ${approvalId} was answered before; the first answer holds.`);
}
