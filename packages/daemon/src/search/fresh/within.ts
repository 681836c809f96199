/** The value of a promise if it comes in time; undefined: the time was over or nobody waits any more. */
import type { Clock } from '@zerd/protocol/node/clock';

export interface Within {
  readonly ms: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export function within<T>(promise: Promise<T>, { ms, clock, signal }: Within): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const settle = (value: T | undefined) => {
      timer[Symbol.dispose]();
      signal.removeEventListener('abort', onAbort);
      resolve(value);
    };
    const onAbort = () => settle(undefined);
    const timer = clock.setTimer(ms, onAbort);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    promise.then(settle, reject);
  });
}
