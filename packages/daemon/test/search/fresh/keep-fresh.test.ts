import { expect, test } from '@jest/globals';
import { type FreshState, keepFresh } from '@zerd/daemon/search/fresh/keep-fresh';
import type { WatchListeners, WatchPort, WatchState } from '@zerd/daemon/search/fresh/watch-port';
import type { IndexChange, IndexStatus, SearchIndex } from '@zerd/daemon/search/index/contract';
import { manualClock } from '../../../../../test/support/manual-clock.ts';

const never = new AbortController().signal;
const minute = 60_000;

/** An index and a watch that do what the test says, on clocks of its own: one for what somebody waits for, one for the rest. */
function scene(first: Partial<IndexStatus> = { state: 'ready', files: 10_000 }) {
  const [clock, deadlines] = [manualClock(), manualClock()];
  const done: string[] = [];
  const states: FreshState[] = [];
  const opened: { listeners: WatchListeners; state: WatchState; answer: (synced: boolean) => void }[] = [];
  let fail: Error | undefined;
  let onStatus: (status: IndexStatus) => void = () => {};
  let status = { files: 0, changed: 0, removed: 0, ...first } as IndexStatus;
  const job = async (what: string) => {
    done.push(what);
    if (fail) throw fail;
  };
  const index: Partial<SearchIndex> = {
    status: () => status,
    onStatus(listener) {
      onStatus = listener;
      return { [Symbol.dispose]() {} };
    },
    files: () => ({ count: 0, at: () => undefined as never, get: () => undefined, paths: () => [] }),
    note: ({ changed }: IndexChange) => {
      status = { ...status, changed: status.changed + changed.length };
    },
    rebuild: (why) => job(`rebuild: ${why}`),
    async persist() {
      status = { ...status, changed: 0 };
      await job('persist');
    },
  };
  const fresh = keepFresh({
    index: index as SearchIndex,
    root: '/r',
    cookieFolder: '/c',
    clock: deadlines,
    idleClock: clock,
    log: { info() {}, warn: (line) => void done.push(line), error: (line) => void done.push(line) },
    onState: (state) => void states.push(state),
    openWatch(_wish, listeners) {
      const one = {
        listeners,
        state: { phase: 'live', watches: 3, overflows: 0 } as WatchState,
        answer: (_: boolean) => {},
      };
      opened.push(one);
      done.push('open');
      const port: Partial<WatchPort> = {
        state: () => one.state,
        sync: () =>
          new Promise((resolve) => {
            one.answer = resolve;
          }),
        async close() {
          done.push('close');
        },
      };
      return port as WatchPort;
    },
  });
  return {
    clock,
    deadlines,
    done,
    opened,
    fresh,
    states,
    set: (to: Partial<IndexStatus>) => {
      status = { ...status, ...to };
      onStatus(status);
    },
    failing: (error: Error | undefined) => {
      fail = error;
    },
  };
}

test('a proof that comes is an answer of the index; one that is late, or none, is a scan', async () => {
  const { fresh, opened, deadlines } = scene();
  const proved = fresh.settle(never);
  opened[0]?.answer(true);
  expect(await proved).toEqual({ synced: true });
  const refused = fresh.settle(never);
  opened[0]?.answer(false);
  expect(await refused).toEqual({ synced: false, scan: true });
  const late = fresh.settle(never);
  deadlines.advance(401);
  expect(await late).toEqual({ synced: false, scan: true });
  const interrupted = new AbortController();
  const left = fresh.settle(interrupted.signal);
  interrupted.abort();
  expect(await left).toEqual({ synced: false, scan: true });
});

test('while there is no index it is built once, nothing is watched, and the tree is scanned', async () => {
  const { fresh, done, set } = scene({ state: 'none' });
  expect(await fresh.settle(never)).toEqual({ synced: false, scan: true });
  set({ state: 'building' });
  expect(await fresh.settle(never)).toEqual({ synced: false, scan: true });
  expect(done).toEqual(['rebuild: there was none']);
  set({ state: 'ready' });
  expect(done).toEqual(['rebuild: there was none', 'open']);
});

test('a watch is given up when nobody searches for ten minutes, and begins again with the next search', async () => {
  const { fresh, done, clock, states } = scene();
  fresh.wake();
  clock.advance(9 * minute);
  fresh.wake();
  clock.advance(9 * minute);
  expect(done).toEqual(['open']);
  clock.advance(9 * minute);
  expect(done).toEqual(['open', 'close']);
  await Promise.resolve();
  expect(states.map(({ phase }) => phase)).toEqual(['starting', 'off']);
  fresh.wake();
  expect(done).toEqual(['open', 'close', 'open']);
});

test('R-09: behind a search nothing is left on the clock of deadlines, which looks each second while somebody waits', async () => {
  const { fresh, opened, clock, deadlines, set, done } = scene({ state: 'none' });
  await fresh.settle(never);
  set({ state: 'ready' });
  const proved = fresh.settle(never);
  opened[0]?.answer(true);
  await proved;
  opened[0]?.listeners.onChange({ changed: Array.from({ length: 400 }, (_, n) => `${n}`), removed: [] });
  expect([done, deadlines.timers()]).toEqual([['rebuild: there was none', 'open'], 0]);
  expect(clock.timers()).toBeGreaterThan(0);
});

test('a watch that ended is opened again later, each time four times as late', () => {
  const { fresh, opened, done, clock } = scene();
  const end = () => opened.at(-1)?.listeners.onState({ phase: 'ended', watches: 0, overflows: 0, why: 'a test' });
  fresh.wake();
  end();
  fresh.wake();
  expect(done).toEqual(['open']);
  clock.advance(minute);
  fresh.wake();
  end();
  clock.advance(minute);
  fresh.wake();
  expect(done).toEqual(['open', 'open']);
  clock.advance(3 * minute);
  fresh.wake();
  expect(done).toEqual(['open', 'open', 'open']);
});

test('changes are written as a segment before queries feel them, and a tree that changed for the most part is built anew', async () => {
  const { fresh, opened, done, set, clock } = scene();
  fresh.wake();
  const change = (count: number) =>
    opened[0]?.listeners.onChange({ changed: Array.from({ length: count }, (_, i) => `f${i}`), removed: [] });
  change(299);
  expect(done).toEqual(['open']);
  change(1);
  expect(done).toEqual(['open', 'persist']);
  await new Promise((resolve) => setImmediate(resolve));
  set({ files: 500 });
  change(300);
  expect(done).toEqual(['open', 'persist']);
  clock.advance(3_000);
  expect(done).toEqual(['open', 'persist', 'rebuild: most files changed']);
});

test('while a switch of branches goes on nothing is written; once it is over, or after a minute, it is', async () => {
  const { fresh, opened, done, set, clock } = scene();
  const change = (count: number) =>
    opened[0]?.listeners.onChange({ changed: Array.from({ length: count }, (_, i) => `f${i}`), removed: [] });
  fresh.wake();
  set({ changed: 2_000 });
  for (let second = 0; second < 30; second += 1) {
    change(250);
    clock.advance(1_000);
  }
  expect(done).toEqual(['open']);
  clock.advance(2_000);
  expect(done).toEqual(['open', 'rebuild: most files changed']);
  await new Promise((resolve) => setImmediate(resolve));
  set({ changed: 2_000 });
  clock.advance(3_000);
  for (let second = 0; second < 62; second += 1) {
    change(1);
    clock.advance(1_000);
  }
  expect(done).toEqual(['open', 'rebuild: most files changed', 'persist']);
});

test('far too many changed files are scanned rather than read one by one', async () => {
  const { fresh, opened, set } = scene();
  const asked = fresh.settle(never);
  set({ changed: 2_001 });
  opened[0]?.answer(true);
  expect(await asked).toEqual({ synced: false, scan: true });
});

test('a build that fails (a full disk) is told once and tried again after ten minutes', async () => {
  const { fresh, done, clock, failing } = scene({ state: 'none' });
  failing(new Error('ENOSPC'));
  for (const wait of [0, minute, 8 * minute, 2 * minute]) {
    clock.advance(wait);
    fresh.wake();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const told = 'the search index could not be built; searches scan where they must';
  expect(done).toEqual(['rebuild: there was none', told, 'rebuild: there was none', told]);
});

test('a small tree is counted again from time to time', async () => {
  const { fresh, done, clock } = scene({ state: 'small' });
  for (const wait of [0, minute / 2, minute / 2, minute / 2]) {
    clock.advance(wait);
    fresh.wake();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(done).toEqual(['rebuild: the tree may have grown']);
});
