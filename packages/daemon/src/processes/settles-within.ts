/** Whether `promise` settles, either way, within `ms` of the clock. Never rejects, leaves no timer behind. */
import type { Clock } from '@zerd/protocol/node/clock';

export function settlesWithin(promise: Promise<unknown>, ms: number, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = clock.setTimer(ms, () => resolve(false));
    const settled = () => {
      timer[Symbol.dispose]();
      resolve(true);
    };
    promise.then(settled, settled);
  });
}
