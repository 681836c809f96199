/**
 * Says how likely it is that a session goes on within a span of time. A running tool is certain to end; a user comes back
 * as a measured share of users does, corrected by how long this one stayed away before.
 */
import type { LoggedEvent } from '@zerd/protocol/common/event';

export type Wait =
  | { readonly for: 'tool' }
  | {
      readonly for: 'user';
      /** How long he has been away. */
      readonly idleMs: number;
      /** How long he stayed away before, each time. */
      readonly earlier: readonly number[];
    };

/** From now on: when what is held expires, when the refresh would be sent, and when what it refreshes would expire. */
export interface Span {
  readonly from: number;
  readonly sent: number;
  readonly until: number;
}

/** The share that came back within one lifetime of the cache (measured with PI, 2026-11), and what it weighs: so many pauses. */
const usualChance = 0.15;
const usualWeight = 5;
const mostPauses = 50;

/** That it goes on between `from` and `until`, given that it has not by `sent`. */
export function chanceOfReturn(wait: Wait, { from, sent, until }: Span): number {
  if (wait.for === 'tool') return 1;
  const { idleMs, earlier } = wait;
  const away = earlier.filter((pause) => pause > idleMs + sent);
  const back = away.filter((pause) => pause > idleMs + from && pause <= idleMs + until);
  return (back.length + usualChance * usualWeight) / (away.length + usualWeight);
}

/** The newest pauses between the end of a turn and the next one. */
export function pausesOf(events: readonly LoggedEvent[]): readonly number[] {
  const pauses: number[] = [];
  let endedAt: number | undefined;
  for (const { at, event } of events) {
    if (event.kind === 'turn.started' && endedAt !== undefined) pauses.push(at - endedAt);
    if (event.kind === 'turn.finished') endedAt = at;
  }
  return pauses.slice(-mostPauses);
}
