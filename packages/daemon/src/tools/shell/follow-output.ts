/**
 * Does: reads a command's output into its spool, one chunk at a time, so that a fast writer waits. Once detached it
 * reads on into nothing: what was left in the background must not die of a closed pipe.
 */
import type { Readable } from 'node:stream';
import type { Clock } from '@zerd/protocol/node/clock';
import type { Body } from '../../base/ports.ts';
import type { OutputSpool } from '../../processes/output-spool.ts';
import { settlesWithin } from '../../processes/settles-within.ts';

/** After an exit: silence for this long ends the waiting for more, and so does the limit. */
const quietMs = 100;
const drainLimitMs = 1_000;

/** Between chunks that nobody reads: a runaway writer in the background waits instead of taking a core. */
const detachedPauseMs = 10;

export interface Following {
  /** Settles when the last holder of the pipe has let go of it. */
  readonly closed: Promise<void>;
  isClosed(): boolean;
  /** When output last arrived, or the start; in terms of clock.now(). */
  touchedAt(): number;
  /** Settles when nothing more is to be expected of a command that has exited. */
  drained(): Promise<void>;
  /** Ends the keeping: what arrived so far. */
  detach(): Promise<Body>;
}

export function followOutput(output: Readable & { unref?(): unknown }, spool: OutputSpool, clock: Clock): Following {
  let touchedAt = clock.now();
  let detached = false;
  let open = true;
  let writing: Promise<void> = Promise.resolve();

  async function pump(): Promise<void> {
    for await (const chunk of output) {
      if (detached) {
        await clock.sleep(detachedPauseMs);
        continue;
      }
      touchedAt = clock.now();
      writing = spool.write(chunk as Uint8Array);
      await writing;
    }
  }

  const closed = pump()
    // A pipe that was destroyed or broke has no more to give.
    .catch(() => {})
    .then(() => {
      open = false;
    });

  async function drained(): Promise<void> {
    const exitedAt = clock.now();
    const until = exitedAt + drainLimitMs;
    for (let now = exitedAt; open && now < until; now = clock.now()) {
      const left = Math.min(Math.max(touchedAt, exitedAt) + quietMs, until) - now;
      if (left <= 0) return;
      await settlesWithin(closed, left, clock);
    }
  }

  async function detach(): Promise<Body> {
    detached = true;
    output.unref?.();
    await writing;
    return spool.finish();
  }

  return { closed, isClosed: () => !open, touchedAt: () => touchedAt, drained, detach };
}
