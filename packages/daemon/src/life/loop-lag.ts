/**
 * Measures how late the event loop is, while somebody asks. Invariant: when nobody has asked for a while nothing is
 * measured, and an idle daemon wakes up for it never.
 */
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock } from '@zerd/protocol/node/clock';

export interface LoopLag {
  /** Since the last time it was asked; undefined: it was not measured until now, and is from here on. */
  p99Ms(): number | undefined;
}

/** Also the least that is seen. */
const resolutionMs = 5;
/** Who asks no more has gone. */
const measuredMs = 10 * 60_000;

export function createLoopLag(clock: Clock): LoopLag {
  let measuring: IntervalHistogram | undefined;
  let end: Disposable | undefined;

  function stop(): void {
    measuring?.disable();
    measuring = undefined;
  }

  return {
    p99Ms() {
      const p99Ms = measuring && lagOf(measuring);
      end?.[Symbol.dispose]();
      end = clock.setTimer(measuredMs, stop);
      measuring ??= monitorEventLoopDelay({ resolution: resolutionMs });
      measuring.reset();
      measuring.enable();
      return p99Ms;
    },
  };
}

/** The histogram holds how far apart the looks were: what is beyond their distance is lag. */
function lagOf(histogram: IntervalHistogram): number {
  return Math.max(0, Math.round((histogram.percentile(99) / 1e6 - resolutionMs) * 100) / 100);
}
