/**
 * Does: holds calls back until their approval is answered. The pending approval itself is in the log; here is only who
 * waits for it in this process. The first answer settles; an unanswered one is denied after a day, with that reason.
 */
import type { ApprovalId } from '@zerd/protocol/common/ids';
import type { Clock } from '@zerd/protocol/node/clock';

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
  /** Settles with the answer, with a denial at the deadline, or rejects with the signal's reason. */
  wait(approvalId: ApprovalId, signal: AbortSignal): Promise<Verdict>;
  /** Called after the answer is committed. */
  settle(approvalId: ApprovalId, verdict: Verdict): void;
}

export function createGate(clock: Clock): Gate {
  const waiting = new Map<ApprovalId, (verdict: Verdict) => void>();
  return {
    wait(approvalId, signal) {
      return new Promise((resolve, reject) => {
        const timer = clock.setTimer(approvalDeadlineMs, () => end(expiry));
        const onAbort = () => {
          close();
          reject(signal.reason);
        };
        function close(): void {
          timer[Symbol.dispose]();
          signal.removeEventListener('abort', onAbort);
          waiting.delete(approvalId);
        }
        function end(verdict: Verdict): void {
          close();
          resolve(verdict);
        }
        waiting.set(approvalId, end);
        signal.addEventListener('abort', onAbort, { once: true });
        if (signal.aborted) onAbort();
      });
    },
    settle: (approvalId, verdict) => waiting.get(approvalId)?.(verdict),
  };
}
