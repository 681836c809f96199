import { appendFileSync, mkdirSync, readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { ToolContext } from '@zerd/daemon/base/ports';
import type { OpenIndexOptions } from '@zerd/daemon/search/index/contract';
import { openIndex } from '@zerd/daemon/search/index/open-index';
import { isRefusedRoot } from '@zerd/daemon/search/index/refused-root';
import { checkIndex } from '@zerd/daemon/search/index-report';
import { run as runFind } from '@zerd/daemon/tools/find/run';
import fc from 'fast-check';
import { type Indexed, indexed, never } from './indexed.ts';

const needle = { pattern: 'needle' };

function plant(place: Indexed, files = 30): void {
  for (let i = 0; i < files; i += 1) place.put(`src/d${i % 5}/f${i}.ts`, `file ${i}\nneedle ${i}\n`);
  place.put('README.md', 'Needle of the readme\n');
}

test('nothing is opened or watched before somebody searches; then the index is built while the scan answers', async () => {
  await using place = indexed();
  plant(place);
  expect(await place.service.indexStatus()).toMatchObject({ state: 'none', watch: { phase: 'off', folders: 0 } });
  await place.right(needle);
  const report = await place.until(({ state }) => state === 'ready');
  expect(report).toMatchObject({ files: 31, why: 'there was none' });
  await place.until(({ watch }) => watch.phase === 'live');
  await place.right(needle);
  await place.right({ pattern: 'NEEDLE', ignoreCase: true, glob: '*.md' });
});

test("the agent's own write is found by the next call, and what it removed is not", async () => {
  await using place = indexed();
  plant(place);
  await place.warm();
  for (let i = 0; i < 20; i += 1) {
    place.put(`src/new/n${i}.ts`, `unique${i}\n`);
    const { totalMatches, synced } = await place.service.search({ pattern: `unique${i}\\b` }, never);
    expect({ i, totalMatches, synced }).toEqual({ i, totalMatches: 1, synced: true });
  }
  rmSync(join(place.root, 'src/new'), { recursive: true });
  expect(place.answered()).toBe(20);
  expect(await place.service.search({ pattern: 'unique' }, never)).toMatchObject({ totalMatches: 0, synced: true });
});

type Edit = readonly [what: string, folder: number, file: number];

const edit: fc.Arbitrary<Edit> = fc.tuple(
  fc.constantFrom('write', 'write', 'append', 'remove', 'rename', 'renameFolder', 'removeFolder', 'ignore', 'search'),
  fc.nat(4),
  fc.nat(9),
);

function perform(place: Indexed, [what, folder, file]: Edit): void {
  const path = join(place.root, `src/d${folder}/f${file}.ts`);
  try {
    if (what === 'write') place.put(`src/d${folder}/f${file}.ts`, `needle ${what} ${folder} ${file}\n`);
    else if (what === 'append') appendFileSync(path, 'needle appended\n');
    else if (what === 'remove') rmSync(path);
    else if (what === 'rename') renameSync(path, join(place.root, `src/d${file % 5}/f${folder}.ts`));
    else if (what === 'renameFolder') renameSync(join(place.root, `src/d${folder}`), join(place.root, `moved${file}`));
    else if (what === 'removeFolder') rmSync(join(place.root, `src/d${folder}`), { recursive: true });
    else if (what === 'ignore')
      place.put(file % 2 === 0 ? '.ignore' : `src/d${folder}/.ignore`, `f${file}.ts\nd${folder}/\n`);
  } catch {
    // What it needs is gone: nothing happens.
  }
}

const cases = Number(process.env.ZERD_CASES ?? 12);

test(
  'after any edits a search finds what ripgrep finds, without waiting',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 4, maxLength: 20 }), async (edits) => {
        await using place = indexed();
        plant(place);
        await place.warm();
        for (const one of edits) {
          if (one[0] === 'search') await place.right(needle);
          else perform(place, one);
        }
        await place.right(needle);
        await place.right({ pattern: 'needle (write|append)', context: 1 });
        expect(place.answered()).toBeGreaterThan(0);
      }),
      { numRuns: cases },
    );
  },
  120_000 + cases * 3_000,
);

test('what changed while no daemon ran is found by the first search of the next one', async () => {
  await using first = indexed();
  plant(first);
  await first.warm();
  await first.stop();
  first.put('src/d0/f0.ts', 'nothing here\n');
  first.put('later/f.ts', 'needle later\n');
  rmSync(join(first.root, 'src/d1'), { recursive: true });
  const second = first.again();
  try {
    await second.right(needle);
    await second.warm();
    await second.right(needle);
    expect((await second.service.indexStatus()).why).toBe('there was none');
  } finally {
    await second.stop();
  }
});

test.each<[string, (folder: string) => void]>([
  ['is deleted', (folder) => rmSync(folder, { recursive: true })],
  ['has a torn manifest', (folder) => truncateSync(join(folder, 'MANIFEST'), 40)],
  ['has a manifest of another version', (folder) => writeFileSync(join(folder, 'MANIFEST'), 'zerd-index 99\n')],
  ['lost its segment', (folder) => removeSegments(folder)],
  ['has a segment cut short', (folder) => eachSegment(folder, (file) => truncateSync(file, 300))],
  ['has a segment of other bytes', (folder) => eachSegment(folder, (file) => writeFileSync(file, 'x'.repeat(5_000)))],
])('an index that %s gives right answers and is built anew', async (_what, damage) => {
  await using first = indexed();
  plant(first);
  await first.warm();
  const folder = join(first.stateFolder, 'index');
  damage(folder);
  // Under the running daemon, and for the next one.
  await first.right(needle);
  await first.stop();
  const second = first.again();
  try {
    await second.right(needle);
    second.put('src/more.ts', 'needle more\n');
    await second.right(needle);
    await second.warm();
    await second.right(needle);
  } finally {
    await second.stop();
  }
});

function eachSegment(folder: string, damage: (file: string) => void): void {
  for (const name of readdirSync(folder)) if (name.startsWith('seg-')) damage(join(folder, name));
}

function removeSegments(folder: string): void {
  eachSegment(folder, (file) => rmSync(file));
}

test.each(['ENOSPC', 'EMFILE'])(
  'F-42 2.11: at the watch limit (%s) the tree is walked when somebody searches, and this is told once',
  async (code) => {
    const limit = Object.assign(new Error('the limit is reached'), { code });
    const open = () => {
      throw limit;
    };
    await using place = indexed({ watch: { open: open as never } });
    plant(place);
    const report = await place.warm();
    expect(report.watch).toMatchObject({ phase: 'polling', folders: 0, why: expect.stringContaining(code) });
    for (let i = 0; i < 3; i += 1) {
      place.put(`src/polled${i}.ts`, `needle polled ${i}\n`);
      await place.right(needle);
    }
    expect(place.answered()).toBe(3);
    expect(place.lines.filter(([line]) => line.includes('not watched'))).toHaveLength(1);
    expect(checkIndex(await place.service.indexStatus())).toMatchObject({ ok: false, todo: expect.any(String) });
  },
);

test('F-42: an error of a watch that comes later ends nothing either', async () => {
  const { watch } = await import('node:fs');
  const opened: ReturnType<typeof watch>[] = [];
  const open = (...args: Parameters<typeof watch>) => {
    const one = watch(...args);
    opened.push(one);
    return one;
  };
  await using place = indexed({ watch: { open: open as typeof watch } });
  plant(place);
  await place.warm();
  place.put('src/before.ts', 'needle before\n');
  opened[0]?.emit('error', Object.assign(new Error('late'), { code: 'EMFILE' }));
  await place.right(needle);
  place.put('src/after.ts', 'needle after\n');
  await place.right(needle);
  expect((await place.service.indexStatus()).watch).toMatchObject({ phase: 'polling' });
});

test('more folders than may be watched are walked', async () => {
  await using place = indexed({ watch: { maxWatches: 3 } });
  plant(place);
  await place.warm();
  place.put('src/d4/more.ts', 'needle more\n');
  await place.right(needle);
  expect((await place.service.indexStatus()).watch.why).toContain('more than 3 folders');
});

test('2.11: when so many events come that some may be lost, everything is looked at again, and answers are right', async () => {
  await using place = indexed({ watch: { burst: 200 } });
  plant(place);
  await place.warm();
  for (let i = 0; i < 600; i += 1) place.put(`src/d0/b${i}.ts`, `needle ${i}\n`);
  await place.right(needle);
  const { watch } = await place.until(({ watch: { phase, overflows } }) => phase === 'live' && overflows > 0);
  expect(watch.overflows).toBeGreaterThan(0);
  await place.right(needle);
});

test('2.11: after a switch of branches of most files a search is right at once, and later the index is small again', async () => {
  await using place = indexed();
  for (let i = 0; i < 700; i += 1) place.put(`src/d${i % 30}/f${i}.ts`, `needle ${i}\n`);
  await place.warm();
  for (let i = 0; i < 700; i += 1) place.put(`src/d${i % 30}/f${i}.ts`, `needle on the other branch ${i}\n`);
  await place.right({ pattern: 'other branch 7' });
  await place.until(({ changed, progress }) => changed < 300 && progress === undefined);
  await place.right({ pattern: 'other branch 7' });
  await place.right({ pattern: 'needle 7' });
}, 30_000);

test('F-42: of a repository that is removed, made again or swapped, no answer is that of the one before', async () => {
  await using place = indexed();
  plant(place);
  await place.warm();
  rmSync(place.root, { recursive: true });
  await expect(place.service.search(needle, never)).rejects.toMatchObject({ code: 'folder_missing' });
  plant(place, 7);
  await place.right(needle);
  place.put('src/more.ts', 'needle more\n');
  await place.right(needle);
});

test('F-42: another folder in the place of the repository is searched as it is', async () => {
  await using place = indexed();
  plant(place);
  await place.warm();
  renameSync(place.root, join(place.top, 'elsewhere'));
  place.put('one.ts', 'needle one\n');
  await place.right(needle);
  place.put('two.ts', 'needle two\n');
  await place.right(needle);
});

test('2.11: the home folder, what holds it and / are not indexed unless told, and nothing of them is walked', async () => {
  for (const root of ['/', '/home', '/home/me']) expect([root, isRefusedRoot(root, '/home/me')]).toEqual([root, true]);
  for (const root of ['/home/me/app', '/home/m', '/srv'])
    expect([root, isRefusedRoot(root, '/home/me')]).toEqual([root, false]);
  await using place = indexed({ root: '/' });
  await place.service.rebuildIndex('a test');
  const report = await place.until(({ state }) => state === 'refused');
  expect(checkIndex(report)).toMatchObject({ ok: true, todo: expect.stringContaining('search.index') });
  expect(report.watch).toMatchObject({ phase: 'off', folders: 0 });
});

test('2.11: told so by the setting, every root is indexed', async () => {
  const asked: OpenIndexOptions[] = [];
  const open = (options: OpenIndexOptions) => {
    asked.push(options);
    return openIndex(options);
  };
  for (const policy of ['on', 'auto'] as const) {
    await using place = indexed({ policy: () => policy, loadIndex: () => Promise.resolve(open) });
    plant(place);
    await place.right(needle);
  }
  expect(asked.map(({ anyRoot }) => anyRoot)).toEqual([true, false]);
});

test('an index that is switched off is never opened', async () => {
  await using place = indexed({ policy: () => 'off', loadIndex: () => Promise.reject(new Error('not to be loaded')) });
  plant(place);
  await place.right(needle);
  expect(await place.service.indexStatus()).toMatchObject({ state: 'off' });
  await expect(place.service.rebuildIndex('a test')).rejects.toMatchObject({ code: 'invalid_params' });
});

test('an index that cannot be opened is told in the log and in its status, searches scan, and a rebuild tries again', async () => {
  let code: () => Promise<typeof openIndex> = () => Promise.reject(new Error('no code'));
  await using place = indexed({ loadIndex: () => code() });
  plant(place);
  await place.right(needle);
  await place.right(needle);
  expect(place.lines).toHaveLength(1);
  expect(await place.service.indexStatus()).toMatchObject({ state: 'none', failed: { why: 'no code' } });
  await expect(place.service.rebuildIndex('a test')).rejects.toMatchObject({
    message: expect.stringMatching(/could not be opened: no code.*Searches scan/),
  });
  code = () => Promise.resolve(openIndex);
  await place.service.rebuildIndex('it was mended');
  expect(await place.until(({ state }) => state === 'ready')).toMatchObject({ files: 31 });
});

test('F-43: where the folder of the index is a file, searches scan, the reason is told, and it is built once that is mended', async () => {
  await using place = indexed();
  plant(place);
  mkdirSync(place.stateFolder);
  const folder = join(place.stateFolder, 'index');
  writeFileSync(folder, 'no folder');
  await place.right(needle);
  const report = await place.until(({ failed }) => failed !== undefined);
  expect(report).toMatchObject({ state: 'none', failed: { why: expect.stringMatching(/EEXIST|ENOTDIR/) } });
  expect(checkIndex(report)).toMatchObject({ ok: false, todo: expect.stringContaining('zerd index rebuild') });
  await place.right(needle);
  rmSync(folder);
  await place.service.rebuildIndex('it was mended');
  await place.until(({ state }) => state === 'ready');
  await place.warm();
  await place.right(needle);
  expect(place.answered()).toBeGreaterThan(0);
});

test('P060 P062: a path that is ignored or hidden is honoured when it is named, with the index too', async () => {
  await using place = indexed();
  plant(place);
  mkdirSync(join(place.root, '.git'));
  place.put('.gitignore', 'build/\n');
  place.put('build/out.ts', 'needle built\n');
  place.put('.config/x.ts', 'needle hidden\n');
  await place.warm();
  await place.right({ ...needle, path: 'build' });
  await place.right({ ...needle, path: '.config' });
  await place.right({ ...needle, path: 'build/out.ts' });
  const { partial } = await place.service.search(needle, never);
  expect(partial).toBe(true);
  expect(await place.service.find('build/out.ts', never)).toEqual({ paths: ['build/out.ts'], total: 1 });
  expect((await place.service.find('.config/*', never)).paths).toEqual(['.config/x.ts']);
});

test('find gives all that hold the pattern, by the list that is known; where none does it names similar paths', async () => {
  await using place = indexed();
  plant(place);
  for (const warm of [false, true]) {
    if (warm) await place.warm();
    expect((await place.service.find('d0/f1', never)).paths).toEqual(['src/d0/f10.ts', 'src/d0/f15.ts']);
    expect((await place.service.find('**/f1?.ts', never)).total).toBe(10);
    expect((await place.service.find('*.md', never)).paths).toEqual(['README.md']);
    expect(await place.service.find('srcf29', never)).toEqual({ paths: [], total: 0, near: ['src/d4/f29.ts'] });
    expect(await place.service.find('zzz', never)).toEqual({ paths: [], total: 0 });
    expect((await place.service.rank('rdme', 5, never)).paths).toEqual(['README.md']);
  }
  const context = { search: place.service, signal: never } as unknown as ToolContext;
  expect(await runFind({ pattern: 'srcf29' }, context)).toEqual({
    outcome: 'ok',
    body: { kind: 'text', text: 'no files; similar paths:\nsrc/d4/f29.ts' },
  });
  place.put('brand/new.ts');
  expect(await place.service.rank('brandnew', 5, never)).toEqual({ paths: ['brand/new.ts'], total: 1, synced: true });
});
