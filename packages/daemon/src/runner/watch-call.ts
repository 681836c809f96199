/**
 * Does: shows that a call is waited for and until when, and tells when it has made no progress for its whole time (I8).
 * Whatever says that it goes on begins that time anew.
 */
import type { TurnContext } from './turn-context.ts';

export interface CallWatch extends Disposable {
  /** It made progress. */
  readonly again: () => void;
  /** Settles with the time that passed without any; never for a call that others watch. */
  readonly expired: Promise<number>;
}

/** `limitMs` undefined: others watch it. */
export function watchCall(
  { waits, clock, sessionId }: Pick<TurnContext, 'waits' | 'clock' | 'sessionId'>,
  name: string,
  limitMs: number | undefined,
): CallWatch {
  let expire: (ms: number) => void = () => {};
  const expired = new Promise<number>((resolve) => {
    expire = resolve;
  });
  let over = false;
  let shown = begin();
  function begin(): Disposable {
    if (limitMs === undefined) return waits.begin(name, sessionId);
    const wait = waits.begin(name, sessionId, clock.now() + limitMs);
    const timer = clock.setTimer(limitMs, () => expire(limitMs));
    return {
      [Symbol.dispose]() {
        timer[Symbol.dispose]();
        wait[Symbol.dispose]();
      },
    };
  }
  return {
    expired,
    again() {
      if (over) return;
      shown[Symbol.dispose]();
      shown = begin();
    },
    [Symbol.dispose]() {
      over = true;
      shown[Symbol.dispose]();
    },
  };
}
