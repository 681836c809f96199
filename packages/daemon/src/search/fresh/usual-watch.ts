/** Chooses where a tree is watched: in a thread of its own, where its compiled entry lies beside this file. */
import { existsSync } from 'node:fs';
import type { Clock } from '@zerd/protocol/node/clock';
import { inlineWatch } from './inline-watch.ts';
import { threadWatch } from './thread-watch.ts';
import type { OpenWatch } from './watch-port.ts';

/** Its name in the bundle, and among the compiled modules. From sources it runs in this thread. */
const entries = ['./search-watch.js', './thread.js'];

export function usualWatch(clock: Clock): OpenWatch {
  const file = entries.map((entry) => new URL(entry, import.meta.url)).find((url) => existsSync(url));
  return file ? threadWatch(file, clock) : inlineWatch(clock);
}
