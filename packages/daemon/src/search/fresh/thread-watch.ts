/** Does: the watch in a thread of its own. Invariant: every question is answered, also when the thread dies. */
import { Worker } from 'node:worker_threads';
import type { Ranking } from '@zerd/core/search/fuzzy-paths';
import type { Clock } from '@zerd/protocol/node/clock';
import type { Order, Report } from './thread.ts';
import { createTurns } from './turns.ts';
import type { OpenWatch, WatchState } from './watch-port.ts';

/** A tree of a million files takes half of the old space; a small young one saves 25 MB, and time. */
const limits = { maxOldGenerationSizeMb: 768, maxYoungGenerationSizeMb: 8 };
/** After that a thread that does not end by itself is ended. */
const closeMs = 2_000;

/** `file`: the compiled `thread.ts`. */
export function threadWatch(file: URL | string, clock: Clock): OpenWatch {
  return (wish, { onChange, onState, onDefect }) => {
    const worker = new Worker(file, { workerData: wish, resourceLimits: limits });
    const asked = new Map<number, (value: unknown) => void>();
    let state: WatchState = { phase: 'starting', watches: 0, overflows: 0 };
    let last = 0;
    // It never keeps the daemon alive.
    worker.unref();

    function end(why: string): void {
      if (state.phase !== 'ended') {
        state = { ...state, phase: 'ended', why };
        onState(state);
      }
      for (const tell of asked.values()) tell(undefined);
      asked.clear();
    }

    function hear(report: Report): void {
      if (report.kind === 'change') onChange(report.change);
      else if (report.kind === 'defect') onDefect(report.message);
      else if (report.kind === 'state') {
        state = report.state;
        onState(state);
      } else {
        asked.get(report.id)?.(report.value);
        asked.delete(report.id);
      }
    }

    // Node hands over all that waits at once: a switch of branches would hold up the sessions.
    const turns = createTurns(hear);
    worker.on('message', turns.add);
    worker.on('error', (error) => {
      end(String((error as { readonly message?: unknown }).message ?? error));
      onDefect(error);
    });
    const exited = new Promise<void>((resolve) => {
      worker.on('exit', () => {
        turns.drain();
        end('its thread ended');
        resolve();
      });
    });

    function ask<T>(order: (id: number) => Order): Promise<T | undefined> {
      if (state.phase === 'ended') return Promise.resolve(undefined);
      last += 1;
      const id = last;
      return new Promise((resolve) => {
        asked.set(id, resolve as (value: unknown) => void);
        worker.postMessage(order(id));
      });
    }

    return {
      state: () => state,
      sync: async () => (await ask<boolean>((id) => ({ kind: 'sync', id }))) ?? false,
      recheck: () => worker.postMessage({ kind: 'recheck' } satisfies Order),
      rank: (typed, limit) => ask<Ranking>((id) => ({ kind: 'rank', id, typed, limit })),
      find: (pattern) => ask<readonly string[]>((id) => ({ kind: 'find', id, pattern })),
      async close() {
        worker.postMessage({ kind: 'close' } satisfies Order);
        const overdue = clock.setTimer(closeMs, () => void worker.terminate());
        await exited;
        overdue[Symbol.dispose]();
      },
    };
  };
}
