import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { sliceSize } from '@zerd/daemon/search/fresh/changes';
import { threadWatch } from '@zerd/daemon/search/fresh/thread-watch';
import { knownFiles, type WatchPort, type WatchState } from '@zerd/daemon/search/fresh/watch-port';
import { manualClock } from '../../../../../test/support/manual-clock.ts';
import { makeRoot, removeRoot } from './tree.ts';

let top: string;
beforeEach(() => {
  top = makeRoot();
});
afterEach(() => removeRoot(top));

/** A watch whose thread runs `program`. */
function scene(program: string) {
  const file = join(top, 'thread.mjs');
  writeFileSync(file, `import { parentPort, workerData } from 'node:worker_threads';\n${program}`);
  const clock = manualClock();
  const states: WatchState[] = [];
  const changes: unknown[] = [];
  const defects: unknown[] = [];
  const wish = { root: top, cookieFolder: join(top, 'c'), known: knownFiles(1, () => known) };
  const watch: WatchPort = threadWatch(file, clock)(wish, {
    onState: (state) => void states.push(state),
    onChange: (change) => void changes.push(change),
    onDefect: (error) => void defects.push(error),
  });
  return { clock, watch, states, changes, defects };
}

const known = { path: 'a.ts', size: 3, changedMs: 1.5, ino: 7, racy: true };

test('changes arrive before the answer that was asked behind them, and the thread is handed what is known', async () => {
  const { watch, changes } = scene(`
    parentPort.on('message', ({ kind, id }) => {
      if (kind === 'close') return parentPort.close();
      parentPort.postMessage({ kind: 'change', change: { changed: workerData.known.paths, removed: [] } });
      parentPort.postMessage({ kind: 'answer', id, value: kind === 'sync' ? true : [String(workerData.known.times[0])] });
    });`);
  expect(await watch.sync()).toBe(true);
  expect(changes).toEqual([{ changed: ['a.ts'], removed: [] }]);
  expect(await watch.find('*')).toEqual(['1.5']);
  await watch.close();
  expect([watch.state().phase, await watch.sync(), await watch.find('*')]).toEqual(['ended', false, undefined]);
});

test('of a burst of 50,000 paths no turn of the loop takes more than one slice, and the answer behind it comes last', async () => {
  const { watch, changes } = scene(`
    parentPort.on('message', ({ kind, id }) => {
      if (kind === 'close') return parentPort.close();
      for (let at = 0; at < 50_000; at += ${sliceSize}) {
        const changed = Array.from({ length: ${sliceSize} }, (_, n) => 'f' + (at + n));
        parentPort.postMessage({ kind: 'change', change: { changed, removed: [] } });
      }
      parentPort.postMessage({ kind: 'answer', id, value: true });
    });`);
  const synced = watch.sync();
  const taken: number[] = [];
  for (let before = 0; before < 50_000 / sliceSize; before = changes.length) {
    await new Promise((resolve) => setImmediate(resolve));
    taken.push(changes.length - before);
  }
  expect(Math.max(...taken)).toBe(1);
  expect(await synced).toBe(true);
  expect(changes).toHaveLength(50_000 / sliceSize);
  await watch.close();
});

test('a thread that dies answers what was asked of it, with nothing, and is told of once', async () => {
  const { watch, states, defects } = scene(`parentPort.once('message', () => { throw new Error('a defect'); });`);
  const asked = [watch.sync(), watch.rank('a', 5), watch.find('a')];
  expect(await Promise.all(asked)).toEqual([false, undefined, undefined]);
  expect(states.map(({ phase }) => phase)).toEqual(['ended']);
  await watch.close();
  expect(defects).toHaveLength(1);
});

test('a thread that does not end when it is told is ended', async () => {
  const { watch, clock } = scene(
    `parentPort.on('message', ({ id }) => parentPort.postMessage({ kind: 'answer', id, value: true }));`,
  );
  expect(await watch.sync()).toBe(true);
  const closed = watch.close();
  clock.advance(2_000);
  await closed;
  expect(watch.state()).toMatchObject({ phase: 'ended' });
});
