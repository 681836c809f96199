/**
 * Decides whether a summary may be made now. A context that fills up again right after each of three summaries is not
 * helped by a fourth; one that could not be made is not tried again at every request. Counted in answered requests.
 */
import type { Compactions } from '../../session/state.ts';

/** A summary whose room was used up within so many requests did not last. */
const shortLife = 3;
const inARow = 3;
/** Requests without a summary after that. */
const pause = 10;

export function mayCompact({ made, triedAt, answered }: Compactions): boolean {
  const last = made.at(-1);
  if (triedAt !== undefined && triedAt !== last && answered - triedAt < pause) return false;
  const recent = made.slice(-inARow);
  if (last === undefined || recent.length < inARow || answered - last >= pause) return true;
  return !recent.every((at, i) => (recent[i + 1] ?? at) - at <= shortLife);
}
