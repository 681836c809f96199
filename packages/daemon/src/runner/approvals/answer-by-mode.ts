/**
 * Does: lets a mode answer what is asked and what it allows. Invariant: a mode that is in the log leaves no such approval
 * open, whichever of the two was committed first.
 */
import { type ApprovalAnswered, answersOfMode } from '@zerd/core/permissions/answers-of-mode';
import type { Grants } from '@zerd/core/permissions/decide';
import type { SessionState } from '@zerd/core/session/state';
import type { Gate } from '../../permissions/gate.ts';

type Commit = (answered: readonly ApprovalAnswered[]) => Promise<unknown>;

/** Commits once, with the answers that are the first ones, and then lets their calls go on. */
export async function settleAll(
  gate: Gate,
  [first, ...others]: readonly ApprovalAnswered[],
  commit: Commit,
): Promise<void> {
  if (first === undefined) return void (await commit([]));
  const { approvalId, decision, reason } = first;
  const verdict = { decision, ...(reason === undefined ? {} : { reason }) };
  const ours = await gate.settle(approvalId, verdict, () =>
    settleAll(gate, others, (more) => commit([first, ...more])),
  );
  if (!ours) await settleAll(gate, others, commit);
}

/** For what was asked while what is allowed was being changed. */
export async function answerIfAllowed(
  gate: Gate,
  state: SessionState,
  commit: Commit,
  { grants, why }: { readonly grants?: Grants | undefined; readonly why?: string } = {},
): Promise<void> {
  const answers = answersOfMode(state, state.mode, grants, why);
  await settleAll(gate, answers, async (ours) => ours.length > 0 && (await commit(ours)));
}
