/**
 * Makes identifiers: the time of making, and 60 random bits behind it. Invariant: of one clock each is greater than those
 * before it, also when the time of day is set back: the time is a counter that follows the clock, never goes back, and
 * takes up after a restart where the log ends.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '@zerd/protocol/node/clock';

const counters = new WeakMap<Clock, number>();

export function newId(prefix: 'ses' | 'turn' | 'req' | 'apr' | 'que' | 'prm' | 'job', clock: Clock): string {
  const time = Math.max((counters.get(clock) ?? -1) + 1, Math.floor(clock.wall()));
  counters.set(clock, time);
  const random = BigInt(`0x${randomBytes(8).toString('hex')}`).toString(36);
  return `${prefix}_${time.toString(36).padStart(9, '0')}${random.padStart(13, '0').slice(-12)}`;
}

/** Identifiers made from now on are greater than this one, and than those that were made up to a time of day. */
export function startIdsAfter(clock: Clock, id: string, time: number): void {
  const counted = Number.parseInt(id.slice(id.indexOf('_') + 1).slice(0, 9), 36) || 0;
  counters.set(clock, Math.max(counters.get(clock) ?? -1, counted, time));
}
