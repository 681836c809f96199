/**
 * The entry of the thread that watches: its loop takes the events of a tree, so that a switch of branches or a build
 * never holds up a session. Invariant: what it tells arrives in the order in which it happened.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { Ranking } from '@zerd/core/search/fuzzy-paths';
import { systemClock } from '@zerd/protocol/node/clock';
import type { IndexChange } from '../index/contract.ts';
import { openTreeWatch } from './tree-watch.ts';
import { eachKnown, type WatchState, type WatchWish } from './watch-port.ts';

export type Order =
  | { readonly kind: 'sync'; readonly id: number }
  | { readonly kind: 'rank'; readonly id: number; readonly typed: string; readonly limit: number }
  | { readonly kind: 'find'; readonly id: number; readonly pattern: string }
  | { readonly kind: 'recheck' }
  | { readonly kind: 'close' };

export type Report =
  | { readonly kind: 'change'; readonly change: IndexChange }
  | { readonly kind: 'state'; readonly state: WatchState }
  | { readonly kind: 'defect'; readonly message: string }
  | { readonly kind: 'answer'; readonly id: number; readonly value: boolean | Ranking | readonly string[] };

const port = parentPort;
if (port) serve((report) => port.postMessage(report));

function serve(report: (report: Report) => void): void {
  const { known, ...wish } = workerData as WatchWish;
  const watch = openTreeWatch({
    ...wish,
    clock: systemClock,
    known: eachKnown(known),
    onChange: (change) => report({ kind: 'change', change }),
    onState: (state) => report({ kind: 'state', state }),
    onDefect: (error) => report({ kind: 'defect', message: String((error as Partial<Error>).stack ?? error) }),
  });
  port?.on('message', (order: Order) => {
    if (order.kind === 'recheck') watch.recheck();
    else if (order.kind === 'close') void watch.close().then(() => port.close());
    else if (order.kind === 'sync') void watch.sync().then((value) => report({ kind: 'answer', id: order.id, value }));
    else {
      const value = order.kind === 'rank' ? watch.rank(order.typed, order.limit) : watch.find(order.pattern);
      report({ kind: 'answer', id: order.id, value });
    }
  });
}
