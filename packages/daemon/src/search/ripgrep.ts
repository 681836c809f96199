/**
 * The Search port by ripgrep: the plain way, without an index. Invariant: answers are sorted and bounded, totals are
 * true or marked incomplete, and nothing outside the root is reached.
 */
import { type Clock, systemClock } from '@zerd/protocol/node/clock';
import type { Search } from '../base/ports.ts';
import { defaultHitLimits, type HitLimits } from './collect-hits.ts';
import { findPaths } from './find-paths.ts';
import { searchContents } from './search-contents.ts';
import type { SearchRoom } from './search-room.ts';

export interface RipgrepOptions {
  readonly clock?: Clock;
  /** After which an answer is given as it stands, marked incomplete. */
  readonly timeoutMs?: number;
  readonly limits?: HitLimits;
}

const defaultTimeoutMs = 20_000;

/** `root` is the real path of the workspace. */
export function createRipgrepSearch(root: string, options: RipgrepOptions = {}): Search {
  const room = roomOf(root, options);
  return {
    search: (query, signal) => searchContents(room, query, signal),
    find: (pattern, signal) => findPaths(room, pattern, signal),
  };
}

export function roomOf(root: string, options: RipgrepOptions): SearchRoom {
  const { clock = systemClock, timeoutMs = defaultTimeoutMs, limits = defaultHitLimits } = options;
  return { root, clock, timeoutMs, limits };
}
