/** A clock that stands still until the test moves it: no test waits for real time. Timers fire in the order of their due time. */
import { type Clock, sleepOn } from '@zerd/protocol/node/clock';

export interface ManualClock extends Clock {
  /** Moves time forward and fires what falls due, each timer at its own moment; timers set meanwhile count too. */
  advance(ms: number): void;
  /** Sets the time of day on (or back) and fires nothing: the user's or a time server's doing. */
  jumpWall(ms: number): void;
  /** Moves time forward while nobody can act: what fell due fires behind it, late, as after a stopped process. */
  stall(ms: number): void;
  /** How many timers are waiting. */
  timers(): number;
}

interface Timer {
  readonly dueAt: number;
  readonly order: number;
  readonly fire: () => void;
}

/** `startWall` is the time of day at `now() === 0`. */
export function manualClock(startWall = Date.UTC(2026, 10, 29)): ManualClock {
  let now = 0;
  let jumped = 0;
  let order = 0;
  const waiting = new Set<Timer>();

  function setTimer(afterMs: number, fire: () => void): Disposable {
    const timer = { dueAt: now + Math.max(0, afterMs), order: order++, fire };
    waiting.add(timer);
    return { [Symbol.dispose]: () => void waiting.delete(timer) };
  }

  function nextDue(until: number): Timer | undefined {
    return [...waiting].filter((t) => t.dueAt <= until).sort((a, b) => a.dueAt - b.dueAt || a.order - b.order)[0];
  }

  function advance(ms: number): void {
    const until = now + ms;
    for (let timer = nextDue(until); timer; timer = nextDue(until)) {
      now = Math.max(now, timer.dueAt);
      waiting.delete(timer);
      timer.fire();
    }
    now = until;
  }

  return {
    now: () => now,
    wall: () => startWall + jumped + now,
    setTimer,
    sleep: (ms, signal) => sleepOn(setTimer, ms, signal),
    timers: () => waiting.size,
    jumpWall(ms) {
      jumped += ms;
    },
    advance,
    stall(ms) {
      now += ms;
      advance(0);
    },
  };
}
