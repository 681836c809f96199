/**
 * Decides how long an answer of the user is waited for: until a day, or another deadline, from when it was asked. Invariant:
 * what was asked before a restart can still be answered, however long no daemon ran and whatever became of the time of day.
 */

/** Of what was asked before a restart, at least. */
const leastMs = 60 * 60_000;

/** In milliseconds from now. `askedAt` and `wall`: the time of day. */
export function answerMs(askedAt: number, deadlineMs: number, wall: number): number {
  return Math.max(leastMs, Math.min(deadlineMs, askedAt + deadlineMs - wall));
}
