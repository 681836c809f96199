import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { SearchQuery } from '@zerd/daemon/base/ports';
import type { OpenIndexOptions, SearchIndex } from '@zerd/daemon/search/index/contract';
import { mostNoted } from '@zerd/daemon/search/index/journal';
import { openIndex } from '@zerd/daemon/search/index/open-index';
import { createRipgrepSearch } from '@zerd/daemon/search/ripgrep';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import { randomOf } from './equality/random.ts';
import { laterClock } from './later-clock.ts';

let top: string;
let root: string;
let folder: string;
let opened: SearchIndex[];
const never = new AbortController().signal;
/** Hundreds of runs of ripgrep: on a machine that is shared they take what they take. */
const patienceMs = 300_000;

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'index-states-')));
  root = join(top, 'app');
  folder = join(top, 'index');
  opened = [];
  mkdirSync(join(root, '.git'), { recursive: true });
});

afterEach(async () => {
  for (const index of opened) await index.close();
  rmSync(top, { recursive: true, force: true });
});

function put(path: string, content: string) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

async function open(options: Partial<OpenIndexOptions> = {}): Promise<SearchIndex> {
  const index = await openIndex({
    folder,
    root,
    clock: laterClock,
    smallFiles: 0,
    smallBytes: 0,
    threads: false,
    ...options,
  });
  opened.push(index);
  return index;
}

async function built(): Promise<SearchIndex> {
  for (let n = 0; n < 30; n += 1) put(`src/f${n}.ts`, `const needle${n} = ${n};\n${'line\n'.repeat(n)}needle\n`);
  const index = await open();
  await index.rebuild('a test');
  return index;
}

const queries: readonly SearchQuery[] = [
  { pattern: 'needle' },
  { pattern: 'NEEDLE1', ignoreCase: true },
  { pattern: 'needle2\\d = ' },
  { pattern: 'nothing of it' },
];

/** What the index says is what ripgrep says, or it says nothing. Gives how many queries it answered. */
async function answered(index: SearchIndex): Promise<number> {
  let count = 0;
  for (const query of queries) {
    const found = await index.query(query, never);
    if (found === undefined) continue;
    expect({ query, ...found.answer }).toEqual({ query, ...(await createRipgrepSearch(root).search(query, never)) });
    count += 1;
  }
  return count;
}

test('before it is built, and while it is, an index has no say', async () => {
  put('a.ts', 'needle\n');
  const index = await open();
  expect([index.status().state, await answered(index)]).toEqual(['none', 0]);
  const building = index.rebuild('a test');
  expect([index.status().state, await answered(index)]).toEqual(['none', 0]);
  await building;
  expect([index.status().state, await answered(index)]).toEqual(['ready', queries.length]);
});

test('a build that fails says why until one succeeds, and the index before it goes on answering', async () => {
  put('a.ts', 'needle\n');
  const index = await open({ clock: manualClock() });
  rmSync(folder, { recursive: true });
  writeFileSync(folder, 'no folder');
  await expect(index.rebuild('a test')).rejects.toThrow();
  expect(index.status()).toMatchObject({ state: 'none', failed: { why: expect.stringMatching(/EEXIST|ENOTDIR/) } });
  rmSync(folder);
  await index.rebuild('again');
  expect(index.status().failed).toBeUndefined();
  expect(await answered(index)).toBe(queries.length);
});

test('an index of a tree that has become small is dropped by a rebuild', async () => {
  await (await built()).close();
  const index = await open({ smallFiles: 1_000, smallBytes: 1e6 });
  await index.rebuild('a test');
  expect(index.status()).toMatchObject({ state: 'small', files: 0 });
});

test('a small tree is left to ripgrep, and the home folder and / are refused', async () => {
  put('a.ts', 'needle\n');
  const index = await open({ smallFiles: 1_000, smallBytes: 1e6 });
  await index.rebuild('a test');
  const everything = await open({ root: '/', folder: join(top, 'other') });
  await everything.rebuild('a test');
  expect([index.status().state, everything.status().state]).toEqual(['small', 'refused']);
});

test('an index that was written is loaded again, and answers at once', async () => {
  await (await built()).close();
  const index = await open();
  expect([index.status().state, index.status().files, await answered(index)]).toEqual(['ready', 30, queries.length]);
});

test('what was noted counts from the next query on, also after it was written, merged and loaded', async () => {
  const index = await built();
  put('src/f1.ts', 'needle and needle12 = \n');
  put('src/new.ts', 'a new needle\n');
  rmSync(join(root, 'src/f2.ts'));
  index.note({ changed: ['src/f1.ts', 'src/new.ts'], removed: ['src/f2.ts'] });
  expect(await answered(index)).toBe(queries.length);
  await index.persist();
  expect([index.status().changed, index.status().removed, await answered(index)]).toEqual([0, 0, queries.length]);
  await index.merge();
  expect([index.status().segments, index.status().files, await answered(index)]).toEqual([1, 30, queries.length]);
  await index.close();
  expect(await answered(await open())).toBe(queries.length);
});

test('a file that changed without a note gives no match that is not there', async () => {
  const index = await built();
  put('src/f3.ts', 'nothing here\n');
  const found = await index.query({ pattern: 'needle3\\b' }, never);
  expect(found?.answer.hits).toEqual([]);
});

test(
  'after any run of edits, writes, merges and restarts the answers are those of ripgrep',
  async () => {
    let index = await built();
    const random = randomOf(7);
    for (let step = 0; step < 40; step += 1) {
      const path = `src/f${random.below(40)}.ts`;
      if (random.chance(0.3)) {
        rmSync(join(root, path), { force: true });
        index.note({ changed: [], removed: [path] });
      } else {
        put(path, random.some(0, 9, () => random.pick(['needle', 'Needle11', 'x', 'needle21 = '])).join('\n'));
        index.note({ changed: [path], removed: [] });
      }
      if (random.chance(0.2)) await index.persist();
      if (random.chance(0.1)) await index.merge();
      if (random.chance(0.1)) index.release();
      if (random.chance(0.1)) {
        await index.persist();
        await index.close();
        index = await open();
      }
      expect(await answered(index)).toBe(queries.length);
    }
  },
  patienceMs,
);

test(
  'with any byte of it wrong or missing, an index answers right or not at all, and can be built anew',
  async () => {
    await (await built()).close();
    const whole = join(top, 'whole');
    cpSync(folder, whole, { recursive: true });
    const random = randomOf(11);
    let silent = 0;
    for (let n = 0; n < 60; n += 1) {
      const name = random.pick(readdirSync(whole));
      const bytes = readFileSync(join(whole, name));
      const at = random.below(bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
      const isCut = random.chance(0.2);
      rmSync(folder, { recursive: true });
      cpSync(whole, folder, { recursive: true });
      writeFileSync(join(folder, name), isCut ? bytes.subarray(0, at) : bytes);
      const index = await open();
      if ((await answered(index)) < queries.length) silent += 1;
      if (n % 20 === 0) {
        await index.rebuild('it was damaged');
        expect(await answered(index)).toBe(queries.length);
      }
      await index.close();
    }
    expect(silent).toBeGreaterThan(10);
  },
  patienceMs,
);

test('an index that is removed under the daemon goes on answering, then is built anew', async () => {
  const index = await built();
  await answered(index);
  rmSync(folder, { recursive: true });
  await answered(index);
  index.release();
  expect([await answered(index), index.status().state]).toEqual([0, 'none']);
  await index.rebuild('it was gone');
  expect(await answered(index)).toBe(queries.length);
});

test('a crash at any step of a write leaves the old index or the new one', async () => {
  const index = await built();
  const before = join(top, 'before');
  cpSync(folder, before, { recursive: true });
  put('src/f1.ts', 'needle of later\n');
  index.note({ changed: ['src/f1.ts'], removed: [] });
  await index.persist();
  await index.close();
  const [segment = ''] = readdirSync(folder).filter((name) => !readdirSync(before).includes(name));
  const copy = (name: string, to = name) => cpSync(join(top, 'after', name), join(folder, to));
  // What a crash left over is removed when the index is opened: each state is made whole.
  const states: (() => void)[] = [
    () => copy(segment, `${segment}.tmp`),
    () => {
      copy(segment, `${segment}.tmp`);
      truncateSync(join(folder, `${segment}.tmp`), 100);
    },
    () => copy(segment),
    () => {
      copy(segment);
      writeFileSync(join(folder, 'MANIFEST.tmp'), '12');
    },
    () => {
      copy(segment);
      copy('MANIFEST');
    },
  ];
  cpSync(folder, join(top, 'after'), { recursive: true });
  rmSync(folder, { recursive: true });
  cpSync(before, folder, { recursive: true });
  for (const happen of states) {
    happen();
    const found = await open();
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    // What changed while no daemon ran is told by who watches the tree.
    found.note({ changed: ['src/f1.ts'], removed: [] });
    expect(await answered(found)).toBe(queries.length);
    await found.close();
  }
});

test('F-43: pipes and sockets are left alone, odd names and giant lines are found as ripgrep finds them', async () => {
  execFileSync('mkfifo', [join(root, 'pipe')]);
  put('two\nlines.txt', 'needle of two lines\n');
  writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from('caf\xe9.txt', 'latin1')]), 'a needle\n');
  put('P054.min.js', `${'a;'.repeat(300_000)}needle12 = ${'b;'.repeat(300_000)}\n`);
  put('P058.txt', `${'QUJD'.repeat(1_200_000)}needle`);
  const index = await open();
  await index.rebuild('a test');
  expect(await answered(index)).toBe(queries.length);
});

test('a search for the first hits ends at the file that brings them, and says so where more may follow', async () => {
  for (let n = 0; n < 40; n += 1) put(`first/${n + 10}.txt`, 'a line\nthimble\n');
  const index = await open();
  await index.rebuild('a test');
  const find = async (maxHits: number) => {
    const { hits, totalFiles, incomplete } = (await index.query({ pattern: 'thimble', maxHits }, never))?.answer ?? {};
    return [hits?.map(({ path, line }) => `${path}:${line}`).at(-1), totalFiles, incomplete];
  };
  expect(await find(3)).toEqual(['first/12.txt:2', 3, 'stopped after the first 3 hits; there may be more']);
  expect(await find(39)).toEqual(['first/48.txt:2', 39, 'stopped after the first 39 hits; there may be more']);
  expect(await find(40)).toEqual(['first/49.txt:2', 40, undefined]);
  await index.close();
});

test('complaints 2.11: an answer that was cut by time or at its limit says so, and is never "no matches"', async () => {
  await (await built()).close();
  const clock = manualClock();
  const index = await open({ clock, timeoutMs: 1_000 });
  const first = await index.query({ pattern: 'needle', maxHits: 3 }, never);
  expect(first?.answer.hits).toHaveLength(3);
  // Only ripgrep can match it, and it has only been started when the time is over.
  const asked = index.query({ pattern: 'needle1\\d|needle\\p{Lu}' }, never);
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(1_000);
  expect((await asked)?.answer.incomplete).toBe('stopped after 1 s; narrow the search');
});

test(
  'after more changes than are kept nothing is answered from the index until it is built anew',
  async () => {
    const index = await built();
    put('src/f1.ts', 'const needle1 = "of another branch";\n');
    for (let at = 0; at < 50_000; at += 250) {
      const changed = Array.from({ length: 250 }, (_, n) => `gone/f${at + n}.ts`);
      index.note({ changed: at === 0 ? ['src/f1.ts', ...changed] : changed, removed: [] });
    }
    put('src/f2.ts', 'needle2x = "noted after the crowd";\n');
    index.note({ changed: ['src/f2.ts'], removed: [] });
    expect(await answered(index)).toBe(0);
    await index.persist();
    await index.merge();
    expect([await answered(index), index.status().changed]).toEqual([0, mostNoted]);
    await index.rebuild('a test');
    expect([await answered(index), index.status().changed]).toEqual([queries.length, 0]);
  },
  patienceMs,
);
