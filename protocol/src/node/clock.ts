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
  setTimer(afterMs, fire) {
    const timer = setTimeout(fire, afterMs);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
  sleep(ms, signal) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      }, ms);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  },
};
