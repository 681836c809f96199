/**
 * Does: holds calls back until their approval is answered. The pending approval itself is in the log; here is only who
 * waits for it in this process. The first answer settles; an unanswered one is denied after a day, with that reason.
 */
import type { ApprovalId } from '@zerd/protocol/common/ids';
import type { Clock } from '@zerd/protocol/node/clock';
import { createAnswerDesk } from '../base/answer-desk.ts';

export interface Verdict {
  readonly decision: 'granted' | 'denied';
  readonly reason?: string;
  /** Nobody answered: the denial is not in the log yet. */
  readonly expired?: boolean;
}

/** A question outlives a night, and not a week in which the files have moved on. */
export const approvalDeadlineMs = 24 * 60 * 60 * 1000;

const expiry: Verdict = { decision: 'denied', reason: 'nobody answered within 24 hours', expired: true };

export interface Gate {
  /** Settles with the answer, with a denial after `ms`, or rejects with the signal's reason. */
  wait(approvalId: ApprovalId, signal: AbortSignal, ms?: number): Promise<Verdict>;
  /** Commits the answer and lets the call go on by it. False: another one came before. */
  settle(approvalId: ApprovalId, verdict: Verdict, commit: () => Promise<unknown>): Promise<boolean>;
}

export function createGate(clock: Clock): Gate {
  const desk = createAnswerDesk<ApprovalId, Verdict>(clock);
  return {
    wait: async (approvalId, signal, ms = approvalDeadlineMs) =>
      (await desk.wait(approvalId, { ms, signal })) ?? expiry,
    settle: desk.settle,
  };
}
