/** What both ways of searching need. */
import type { Clock } from '@zerd/protocol/node/clock';
import type { HitLimits } from './collect-hits.ts';

export interface SearchRoom {
  /** A real path. */
  readonly root: string;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly limits: HitLimits;
  /** The visible paths that a pattern means, where they are known for certain; undefined: ripgrep lists them. */
  readonly visible?: (pattern: string) => Promise<readonly string[] | undefined>;
}
