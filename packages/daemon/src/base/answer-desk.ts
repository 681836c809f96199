/**
 * Brings the answers of the user to those who wait for them in this process; what is asked itself stands in the log.
 * Invariant: of each thing that is asked one answer is kept, the first: while it is being committed no other one, and no
 * deadline, comes in between.
 */
import type { Clock } from '@zerd/protocol/node/clock';

export interface AnswerDesk<Id extends string, Answer> {
  /** Settles with the answer, with undefined after `ms`, or rejects with the signal's reason. */
  wait(id: Id, limit: { readonly ms: number; readonly signal: AbortSignal }): Promise<Answer | undefined>;
  /** Commits the answer and hands it over, also when nobody waits here. False: another one came before, nothing was committed. */
  settle(id: Id, answer: Answer, commit: () => Promise<unknown>): Promise<boolean>;
}

interface Waiting<Answer> {
  hand(answer: Answer): void;
}

const againAfterMs = 1_000;

export function createAnswerDesk<Id extends string, Answer>(clock: Clock): AnswerDesk<Id, Answer> {
  const waiting = new Map<Id, Waiting<Answer>>();
  /** Those whose answer, or the lack of one, is on its way to the log. */
  const taken = new Set<Id>();
  return {
    wait(id, { ms, signal }) {
      return new Promise((resolve, reject) => {
        let timer = clock.setTimer(ms, expire);
        const onAbort = () => {
          close();
          reject(signal.reason);
        };
        function expire(): void {
          if (taken.has(id)) {
            // Unless its commit fails, it is handed over in a moment.
            timer = clock.setTimer(againAfterMs, expire);
            return;
          }
          taken.add(id);
          close();
          resolve(undefined);
        }
        function close(): void {
          timer[Symbol.dispose]();
          signal.removeEventListener('abort', onAbort);
          waiting.delete(id);
        }
        waiting.set(id, {
          hand(answer) {
            close();
            resolve(answer);
          },
        });
        signal.addEventListener('abort', onAbort, { once: true });
        if (signal.aborted) onAbort();
      });
    },
    async settle(id, answer, commit) {
      if (taken.has(id)) return false;
      taken.add(id);
      try {
        await commit();
      } finally {
        taken.delete(id);
      }
      waiting.get(id)?.hand(answer);
      return true;
    },
  };
}
