/**
 * Does: settles an approval. The first answer that fits the digest is committed and then acted on; a later one is told
 * that it came too late, and one for another call than was shown is refused.
 */
import type { ApprovalAnswered } from '@zerd/core/permissions/answers-of-mode';
import type { OpenApproval } from '@zerd/core/session/state';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { TurnParts } from '../parts.ts';
import type { Runner } from '../runner.ts';
import { answerIfAllowed } from './answer-by-mode.ts';

type Answer = Parameters<Runner['answer']>[0];

export async function answerApproval(
  parts: TurnParts,
  { sessionId, approvalId, digest, decision, reason, always, by }: Answer,
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
  const rules = always ? rulesOf(pending, decision) : undefined;
  const verdict = { decision, ...(reason === undefined ? {} : { reason }) };
  const signed = { turnId: pending.turnId, approvalId, ...verdict, ...(by && { by }) };
  const commit = async () => {
    // What cannot be kept is not answered: the person who said so is told, and may say it otherwise.
    if (rules !== undefined) await parts.grants?.add(rules);
    await parts.book.append(sessionId, [
      { kind: 'approval.answered', ...signed, ...(rules && { always: [...rules] }) },
    ]);
  };
  if (!(await parts.gate.settle(approvalId, verdict, commit))) throw alreadyAnswered(approvalId);
}

function rulesOf({ always, approvalId }: OpenApproval, decision: 'granted' | 'denied'): readonly string[] {
  if (decision === 'granted' && always !== undefined) return always;
  const what =
    decision === 'denied'
      ? 'Only a yes is kept for good'
      : `What approval ${approvalId} asks for cannot be allowed for good`;
  throw new ZerdError('invalid_params', `${what}. Nothing was answered: answer without \`always\`.`);
}

/** What is asked in these sessions and is allowed by now. */
export async function answerAllowed(
  { book, gate, grants }: TurnParts,
  sessionIds: readonly SessionId[],
  by?: string,
): Promise<void> {
  const allowed = { grants: grants?.now(), why: 'it was allowed for good' };
  for (const sessionId of sessionIds) {
    const commit = (answers: readonly ApprovalAnswered[]) =>
      book.append(
        sessionId,
        answers.map((one) => ({ ...one, ...(by && { by }) })),
      );
    await answerIfAllowed(gate, book.state(sessionId), commit, allowed);
  }
}

function alreadyAnswered(approvalId: string): ZerdError {
  return new ZerdError('already_resolved', `Approval ${approvalId} was answered before; the first answer holds.`);
}
