/** Time as a port: product code takes a Clock, so that tests own time. */
export interface Clock {
  /** Milliseconds of the epoch, for records. */
  wall(): number;
  /** Milliseconds that only grow, for deadlines. */
  now(): number;
  /** Fires once after `afterMs` unless disposed before. */
  setTimer(afterMs: number, fire: () => void): Disposable;
  /** Rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  wall: () => Date.now(),
  now: () => performance.now(),
  setTimer,
  sleep: (ms, signal) => sleepOn(setTimer, ms, signal),
};

/** A longer wait than timers take (24 days) would end at once. */
const longestMs = 2 ** 31 - 1;

function setTimer(afterMs: number, fire: () => void): Disposable {
  const timer = setTimeout(fire, Math.min(afterMs, longestMs));
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}

/** `Clock.sleep` for whoever has timers. */
export function sleepOn(setTimer: Clock['setTimer'], ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      timer[Symbol.dispose]();
      reject(signal?.reason);
    };
    const timer = setTimer(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
