/**
 * Does: repeats what a full disk refuses until there is room, and tells when the first begins to wait and when none does
 * any more (F-37). Invariant: `work` is repeated as a whole, so it keeps all or can be given again.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { isDiskFull, roomPatienceMs } from '../../base/full-disk.ts';

/** Rejects with anything else at once, and with what says that the disk is full after a day. */
export type HoldForRoom = <T>(work: () => T) => Promise<T>;

const againMs = 1_000;

export function createHold(tell: (full: boolean) => void): HoldForRoom {
  let waiting = 0;

  return async (work) => {
    const until = performance.now() + roomPatienceMs;
    let waits = false;
    try {
      for (;;) {
        try {
          return work();
        } catch (error) {
          if (!isDiskFull(error) || performance.now() >= until) throw error;
        }
        if (!waits && waiting++ === 0) tell(true);
        waits = true;
        await pause(againMs);
      }
    } finally {
      if (waits && --waiting === 0) tell(false);
    }
  };
}
