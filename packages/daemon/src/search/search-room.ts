/** What both ways of searching need. */
import type { Clock } from '@zerd/protocol/node/clock';
import type { HitLimits } from './collect-hits.ts';

export interface SearchRoom {
  /** A real path. */
  readonly root: string;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly limits: HitLimits;
}
