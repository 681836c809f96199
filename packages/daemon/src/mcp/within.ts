/**
 * Lets something run for so long and no longer. Invariant: it settles when the time is over or the signal is aborted,
 * whatever becomes of the task, whose own signal is aborted then; no timer is left behind.
 */
import type { Clock } from '@zerd/protocol/node/clock';

export type Outcome<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'overdue'; readonly ms: number }
  | { readonly kind: 'interrupted' };

export interface Limit {
  /** Since it last made progress. */
  readonly ms: number;
  /** In all; absent: no other limit. */
  readonly totalMs?: number;
  readonly signal: AbortSignal;
}

/** `progress`: from now on it has `ms` again. */
export function within<T>(
  clock: Clock,
  limit: Limit,
  task: (signal: AbortSignal, progress: () => void) => Promise<T>,
): Promise<Outcome<T>> {
  return new Promise((resolve) => {
    const own = new AbortController();
    let step: Disposable | undefined;
    let total: Disposable | undefined;
    let over = false;

    function settle(outcome: Outcome<T>): void {
      if (over) return;
      over = true;
      step?.[Symbol.dispose]();
      total?.[Symbol.dispose]();
      limit.signal.removeEventListener('abort', interrupted);
      resolve(outcome);
      if (outcome.kind !== 'done') own.abort(new Error(outcome.kind));
    }
    const interrupted = () => settle({ kind: 'interrupted' });
    const overdueAfter = (ms: number) => clock.setTimer(ms, () => settle({ kind: 'overdue', ms }));
    const progress = () => {
      if (over) return;
      step?.[Symbol.dispose]();
      step = overdueAfter(limit.ms);
    };

    if (limit.signal.aborted) return interrupted();
    limit.signal.addEventListener('abort', interrupted, { once: true });
    progress();
    if (limit.totalMs !== undefined) total = overdueAfter(limit.totalMs);
    // Also what is thrown at once is told as a failure.
    const run = async () => task(own.signal, progress);
    run().then(
      (value) => settle({ kind: 'done', value }),
      (error: unknown) => settle({ kind: 'failed', error }),
    );
  });
}
