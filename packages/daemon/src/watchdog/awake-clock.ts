/**
 * A clock that counts only the time in which this process could do something. All deadlines go by it, so whoever is waited
 * for keeps all of its time while the process was stopped, its event loop blocked or the machine asleep (F-14, F-28).
 * Invariants: it never goes back; a timer never fires before so much of that time has passed; while no timer waits it
 * wakes the process for nothing, and time passes for it as for everybody.
 */
import { performance } from 'node:perf_hooks';
import { aheadMs, lostMs, type Pause, pauseBetween, type Sample } from '@zerd/core/watchdog/stand-still';
import { type Clock, sleepOn } from '@zerd/protocol/node/clock';

export interface AwakeClock extends Clock, Disposable {
  /** Told of each pause, once it is over; also of those that cost no time. */
  onPause(listener: (pause: Exclude<Pause, { kind: 'none' }>) => void): void;
  /** Called each `everyMs` by who beats anyway: a pause in which no timer waited is told then, if it delayed the beat. */
  beat(everyMs: number): void;
}

const lookEveryMs = 1_000;

export function awakeClock(base: Clock, busy = () => performance.eventLoopUtilization().active): AwakeClock {
  const sample = (): Sample => ({ now: base.now(), wall: base.wall(), busy: busy() });
  const listeners: ((pause: Exclude<Pause, { kind: 'none' }>) => void)[] = [];
  let lost = 0;
  let highest = Number.NEGATIVE_INFINITY;
  let looked = sample();
  let nextLook: Disposable | undefined;
  const waiting = new Set<object>();
  let beaten: Sample | undefined;
  /** What looks have told since the last beat. */
  let told = { late: 0, ahead: 0 };

  function tell(pause: Pause): void {
    if (pause.kind === 'none') return;
    told = { late: told.late + lostMs(pause), ahead: told.ahead + aheadMs(pause) };
    for (const listener of listeners) listener(pause);
  }

  function look(): void {
    const found = sample();
    const pause = pauseBetween(looked, found, lookEveryMs);
    lost += lostMs(pause);
    looked = found;
    nextLook?.[Symbol.dispose]();
    // Not where the last timer ends: a deadline that is set anew at each event would begin anew each time.
    nextLook = waiting.size > 0 ? base.setTimer(lookEveryMs, look) : undefined;
    tell(pause);
  }

  function beat(everyMs: number): void {
    if (nextLook) look();
    const found = sample();
    const before = beaten && { ...beaten, wall: beaten.wall + told.ahead };
    if (before) tell(pauseBetween(before, found, everyMs + told.late));
    beaten = found;
    told = { late: 0, ahead: 0 };
  }

  function beginToLook(): void {
    if (nextLook) return;
    looked = sample();
    nextLook = base.setTimer(lookEveryMs, look);
  }

  function now(): number {
    // Whoever asks first behind a pause must not see it; a look that is a little late comes by itself.
    if (nextLook && lostMs(pauseBetween(looked, { ...looked, now: base.now() }, lookEveryMs)) > 0) look();
    highest = Math.max(highest, base.now() - lost);
    return highest;
  }

  function setTimer(afterMs: number, fire: () => void): Disposable {
    beginToLook();
    const due = now() + afterMs;
    const wait = {};
    waiting.add(wait);
    let timer = base.setTimer(afterMs, check);
    function check(): void {
      const left = due - now();
      if (left >= 1) {
        timer = base.setTimer(left, check);
        return;
      }
      waiting.delete(wait);
      fire();
    }
    return {
      [Symbol.dispose]() {
        waiting.delete(wait);
        timer[Symbol.dispose]();
      },
    };
  }

  return {
    wall: base.wall,
    now,
    setTimer,
    sleep: (ms, signal) => sleepOn(setTimer, ms, signal),
    onPause: (listener) => void listeners.push(listener),
    beat,
    [Symbol.dispose]: () => nextLook?.[Symbol.dispose](),
  };
}
