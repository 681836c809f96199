/** Does: the watch in this very thread, where none can be started. */
import type { Clock } from '@zerd/protocol/node/clock';
import { openTreeWatch, type TreeWatchParts } from './tree-watch.ts';
import { eachKnown, type OpenWatch } from './watch-port.ts';

export function inlineWatch(clock: Clock, more: Partial<TreeWatchParts> = {}): OpenWatch {
  return ({ known, ...wish }, listeners) => {
    const watch = openTreeWatch({ ...wish, ...listeners, clock, known: eachKnown(known), ...more });
    return {
      ...watch,
      rank: (typed, limit) => Promise.resolve(watch.rank(typed, limit)),
      find: (pattern) => Promise.resolve(watch.find(pattern)),
    };
  };
}
