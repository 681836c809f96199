/** A signal that also ends at a time limit, and says which of the two it was. */
import type { Clock } from '@zerd/protocol/node/clock';

export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  /** True: the time is over, and nobody asked to stop. */
  readonly expired: () => boolean;
}

export function startDeadline(ms: number, signal: AbortSignal, clock: Clock): Deadline {
  const controller = new AbortController();
  const onAbort = () => controller.abort(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  const timer = clock.setTimer(ms, () => controller.abort(new Error('the time limit is over')));
  return {
    signal: controller.signal,
    expired: () => controller.signal.aborted && !signal.aborted,
    [Symbol.dispose]() {
      timer[Symbol.dispose]();
      signal.removeEventListener('abort', onAbort);
    },
  };
}
