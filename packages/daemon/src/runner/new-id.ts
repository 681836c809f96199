/** Makes identifiers: sortable by the time of making, with 60 random bits behind it. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '@zerd/protocol/node/clock';

export function newId(prefix: 'ses' | 'turn' | 'req' | 'apr', clock: Clock): string {
  const time = Math.max(0, Math.floor(clock.wall())).toString(36).padStart(9, '0');
  return `${prefix}_${time}${BigInt(`0x${randomBytes(8).toString('hex')}`)
    .toString(36)
    .padStart(13, '0')
    .slice(-12)}`;
}
