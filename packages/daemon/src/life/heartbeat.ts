/**
 * Decides from time to time whether the daemon should end: because nobody has needed it for long, or because its files
 * are no longer its own and nobody could find it. Invariants: it never ends work that is still running; idle are only beats
 * that it made, so that time in which the process stood still counts as one.
 */
import type { Clock } from '@zerd/protocol/node/clock';

export interface HeartbeatOptions {
  readonly clock: Clock;
  /** Idle time after which it ends; undefined: never. */
  readonly idleMs: number | undefined;
  /** A client is connected, a turn runs or an approval is open. */
  readonly needed: () => boolean;
  readonly working: () => boolean;
  readonly ours: () => boolean;
  /** A newer release waits to take over. */
  readonly yielding?: () => boolean;
  readonly stop: (why: string) => void;
  /** Told at each beat whether it works. */
  readonly rest?: (working: boolean) => void;
}

/** Long enough for a pause between two commands; nothing is lost when it ends: the next client starts another. */
export const idleExitMs = 10 * 60 * 1000;

const periodMs = 15_000;

/** How often it beats. */
export function beatEveryMs(idleMs: number | undefined): number {
  return Math.min(periodMs, idleMs ?? periodMs);
}

export function startHeartbeat(options: HeartbeatOptions): Disposable {
  const { clock, idleMs, needed, working, ours, yielding = () => false, stop, rest } = options;
  const period = beatEveryMs(idleMs);
  let idleBeats = 0;
  let timer = clock.setTimer(period, beat);

  function beat(): void {
    timer = clock.setTimer(period, beat);
    idleBeats = needed() ? 0 : idleBeats + 1;
    rest?.(working());
    if (!ours() && !working()) stop('its files were removed or replaced');
    else if (yielding() && idleBeats > 0) stop('a newer release takes over');
    else if (idleMs !== undefined && idleBeats * period >= idleMs) stop(`idle for ${Math.round(idleMs / 1000)} s`);
  }

  return { [Symbol.dispose]: () => timer[Symbol.dispose]() };
}
