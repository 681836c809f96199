/**
 * Decides how long a sub-agent may say nothing while it waits for its model. Invariant: only an answer, or a part of
 * one, counts as progress, not a further attempt; while a tool runs or somebody is asked, other deadlines hold.
 */
import type { SessionEvent } from '@zerd/protocol/common/event';

/** The moment, by the same clock as `now`, at which it has been silent for too long; undefined: it need not speak. */
export type SilentAt = number | undefined;

/** `delta`: a piece of an answer has arrived. `wall` is the time of day, as events have it. */
export function nextSilence(
  silentAt: SilentAt,
  happened: SessionEvent | 'delta',
  { now, wall, limitMs }: { readonly now: number; readonly wall: number; readonly limitMs: number },
): SilentAt {
  if (happened === 'delta') return silentAt === undefined ? undefined : now + limitMs;
  switch (happened.kind) {
    case 'request.started':
      return silentAt ?? now + limitMs;
    case 'request.failed':
      // A pause between attempts has a deadline of its own.
      return happened.retryAt === undefined || silentAt === undefined
        ? undefined
        : silentAt + Math.max(0, happened.retryAt - wall);
    case 'assistant.finished':
    case 'turn.finished':
      return undefined;
    default:
      return silentAt;
  }
}
