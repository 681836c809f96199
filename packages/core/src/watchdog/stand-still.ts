/**
 * Decides from how late a regular look comes, and from both clocks, whether this process could do nothing for a while.
 * Invariants: time in which it stood still is never held against whoever it waits for; a change of the time of day
 * alone is no such time; idleness is punctual and therefore none either (F-14, F-15, F-28, F-34).
 */

/** What is known at a look. Milliseconds, each of a clock of its own. */
export interface Sample {
  /** Of the clock that only grows. */
  readonly now: number;
  /** Of the day. */
  readonly wall: number;
  /** How long the event loop has worked, all in all. */
  readonly busy: number;
}

export type Pause =
  | { readonly kind: 'none' }
  /** The event loop was at work all the while: code of the process itself held it up. */
  | { readonly kind: 'blocked'; readonly ms: number }
  /** It had no turn at all: it was stopped, or the machine slept and its clock went on. */
  | { readonly kind: 'stopped'; readonly ms: number }
  /** Only the time of day went on: the machine slept and its clock with it, or somebody set the time forward. */
  | { readonly kind: 'slept'; readonly ms: number }
  /** The time of day was set back. */
  | { readonly kind: 'setBack'; readonly ms: number };

/** A busy machine is late by less. */
export const toleranceMs = 1_000;

/** `before`: the look before this one, which was due `everyMs` later. */
export function pauseBetween(before: Sample, sample: Sample, everyMs: number): Pause {
  const passed = sample.now - before.now;
  const late = passed - everyMs;
  if (late > toleranceMs) {
    const atWork = sample.busy - before.busy;
    return { kind: atWork >= late / 2 ? 'blocked' : 'stopped', ms: late };
  }
  const ahead = sample.wall - before.wall - passed;
  if (ahead > toleranceMs) return { kind: 'slept', ms: ahead };
  return ahead < -toleranceMs ? { kind: 'setBack', ms: -ahead } : { kind: 'none' };
}

/** What is taken off the time that counts for deadlines. */
export function lostMs(pause: Pause): number {
  return pause.kind === 'blocked' || pause.kind === 'stopped' ? pause.ms : 0;
}

/** How much further the time of day went than the clock that only grows. */
export function aheadMs(pause: Pause): number {
  if (pause.kind === 'slept') return pause.ms;
  return pause.kind === 'setBack' ? -pause.ms : 0;
}
