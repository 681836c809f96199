import { mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { FileWatch } from '../../src/base/ports.ts';
import { createFileWatches } from '../../src/watch/chokidar.ts';
import { openFileWatch, type Watcher } from '../../src/watch/file-watch.ts';

let root: string;
let watch: FileWatch | undefined;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'zerd-watch-')));
});
afterEach(async () => {
  await watch?.close();
  rmSync(root, { recursive: true, force: true });
});

/** A watcher that does what the test says. */
function fakeWatcher() {
  const listeners = new Map<string, (...given: readonly unknown[]) => void>();
  const added: string[] = [];
  let closed = 0;
  const watcher: Watcher = {
    add: (paths) => added.push(...paths),
    on: (event: string, listener: (...given: never[]) => void) => listeners.set(event, listener as never),
    async close() {
      closed += 1;
    },
  };
  const emit = (event: string, ...given: readonly unknown[]) => listeners.get(event)?.(...given);
  return { watcher, added, emit, closed: () => closed };
}

const eventually = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
};

test('a file is suspected when it is new to the watch and each time it is touched, and no other is', async () => {
  for (const name of ['a.ts', 'b.ts']) writeFileSync(join(root, name), 'one');
  const failures: string[] = [];
  watch = createFileWatches(root)((why) => failures.push(why));
  watch.follow(['a.ts', 'b.ts']);
  expect(watch.take()).toEqual(['a.ts', 'b.ts']);
  watch.follow(['a.ts']);
  expect(watch.take()).toEqual([]);
  const taken: string[] = [];
  let turn = 0;
  await eventually(() => {
    // Until the watcher has got to it.
    writeFileSync(join(root, 'a.ts'), `change ${turn++}`);
    taken.push(...(watch?.take() ?? []));
    return taken.length > 0;
  });
  expect(new Set(taken)).toEqual(new Set(['a.ts']));
  writeFileSync(join(root, 'tmp'), 'renamed over it');
  renameSync(join(root, 'tmp'), join(root, 'b.ts'));
  await eventually(() => watch?.take().includes('b.ts') ?? false);
  expect(failures).toEqual([]);
});

test.each([
  ['ENOSPC', 'no watches left (ENOSPC)'],
  ['EMFILE', 'no open files left (EMFILE)'],
  ['EPERM', 'EPERM'],
])(
  'F-42: after %s, however late, nothing breaks: it is told once and every file counts as touched',
  async (code, why) => {
    const { watcher, added, emit, closed } = fakeWatcher();
    const failures: string[] = [];
    watch = openFileWatch({ root, open: async () => watcher, onFailure: (reason) => failures.push(reason) });
    watch.follow(['a.ts', 'b.ts']);
    await eventually(() => added.length === 2);
    watch.take();
    emit('error', Object.assign(new Error('no'), { code }));
    emit('error', Object.assign(new Error('no'), { code }));
    watch.follow(['c.ts']);
    expect(failures).toEqual([why]);
    expect([watch.take(), watch.take()]).toEqual([
      ['a.ts', 'b.ts', 'c.ts'],
      ['a.ts', 'b.ts', 'c.ts'],
    ]);
    await eventually(() => closed() === 1);
    expect(added).toEqual([join(root, 'a.ts'), join(root, 'b.ts')]);
  },
);

test('F-42: a watcher that cannot be opened or closed is told of and ends nothing', async () => {
  const failures: string[] = [];
  const onFailure = (why: string) => failures.push(why);
  const never = openFileWatch({ root, open: () => Promise.reject(new Error('gone')), onFailure });
  never.follow(['a.ts']);
  await eventually(() => failures.length === 1);
  await never.close();
  expect(never.take()).toEqual(['a.ts']);
  const stuck: Watcher = { ...fakeWatcher().watcher, close: () => Promise.reject(new Error('stuck')) };
  const other = openFileWatch({ root, open: async () => stuck, onFailure });
  other.follow(['a.ts']);
  await other.close();
  expect(failures).toEqual(['gone', 'stuck']);
});

test('nothing is opened before the first file, and a closed watch opens nothing', async () => {
  let opened = 0;
  const open = async () => {
    opened += 1;
    return fakeWatcher().watcher;
  };
  watch = openFileWatch({ root, open, onFailure: () => undefined });
  watch.follow([]);
  await watch.close();
  watch.follow(['a.ts']);
  expect([opened, watch.take()]).toEqual([0, ['a.ts']]);
});
