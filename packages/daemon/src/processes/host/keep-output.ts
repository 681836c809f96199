/**
 * Does: brings what a command writes into its file. Invariants: memory stays flat; while the disk is full nothing is read,
 * so that the command waits where it writes and nothing of it is lost.
 */
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf } from '../error-code.ts';
import { type OutputFile, outputLimits } from '../output-file.ts';
import type { HoldForRoom } from './hold-for-room.ts';

export interface KeptOutput {
  isClosed(): boolean;
  /** Settles when nothing more is to be expected of a command that has exited. */
  drained(): Promise<void>;
}

/** After an exit: silence for this long ends the waiting for more, and so does the limit. */
const quietMs = 100;
const drainLimitMs = 1_000;
/** Between chunks that are not kept and that nobody waits for: a runaway writer does not take a core. */
const slowMs = 10;

export function keepOutput(
  output: Readable,
  file: OutputFile,
  pace: { readonly slow: boolean },
  hold: HoldForRoom,
): KeptOutput {
  let touchedAt = performance.now();
  let open = true;
  /** What the disk did not take yet. */
  let held: Promise<void> | undefined;
  const closed = new Promise<void>((resolve) => {
    const end = () => {
      open = false;
      resolve();
    };
    output.once('close', end).once('error', end);
  });

  function holdBack(chunk: Buffer): void {
    output.pause();
    held = hold(() => file.write(chunk))
      .catch((error: unknown) => file.giveUp(codeOf(error)))
      .then(() => {
        held = undefined;
        touchedAt = performance.now();
        output.resume();
      });
  }

  output.on('data', (chunk: Buffer) => {
    touchedAt = performance.now();
    try {
      file.write(chunk);
    } catch {
      holdBack(chunk);
      return;
    }
    if (!pace.slow || file.count().bytes < 2 * outputLimits.kept) return;
    output.pause();
    setTimeout(() => output.resume(), slowMs);
  });

  /** Silence, or the limit; true: it waits for room instead. */
  async function quiet(): Promise<boolean> {
    const begunAt = performance.now();
    const until = begunAt + drainLimitMs;
    for (let now = begunAt; open && held === undefined && now < until; now = performance.now()) {
      const left = Math.min(Math.max(touchedAt, begunAt) + quietMs, until) - now;
      if (left <= 0) return false;
      const over = new AbortController();
      await Promise.race([closed, pause(left, undefined, { signal: over.signal }).catch(() => {})]);
      over.abort();
    }
    return held !== undefined;
  }

  return {
    isClosed: () => !open && held === undefined,
    async drained() {
      while (await quiet()) await held;
    },
  };
}
