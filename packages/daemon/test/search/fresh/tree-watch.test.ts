import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { stampOf } from '@zerd/daemon/search/index/stamps';
import fc from 'fast-check';
import { laterClock } from '../later-clock.ts';
import { makeRoot, put, removeRoot, visibleFiles, type Watched, watchTree } from './tree.ts';

let top: string;
beforeEach(() => {
  top = makeRoot();
});
afterEach(() => removeRoot(top));

async function check(watched: Watched): Promise<void> {
  await watched.synced();
  expect(watched.there()).toEqual(visibleFiles(watched.root));
}

test('what changed is told by the next question: written, appended, renamed over, removed', async () => {
  put(join(top, 'app'), 'src/a.ts', 'one\n');
  put(join(top, 'app'), 'src/b.ts', 'two\n');
  await using watched = watchTree(top);
  await check(watched);
  watched.told();
  watched.put('src/c.ts');
  appendFileSync(join(watched.root, 'src/a.ts'), 'more\n');
  writeFileSync(join(watched.root, 'src/b.new'), 'three\n');
  renameSync(join(watched.root, 'src/b.new'), join(watched.root, 'src/b.ts'));
  await watched.synced();
  const { changed, removed } = watched.told();
  expect(changed).toEqual(['src/a.ts', 'src/b.ts', 'src/c.ts']);
  expect(removed.filter((path) => path !== 'src/b.new')).toEqual([]);
  rmSync(join(watched.root, 'src/c.ts'));
  await watched.synced();
  expect(watched.told()).toEqual({ changed: [], removed: ['src/c.ts'] });
  expect(watched.watch.state().phase).toBe('live');
});

test('a second write within the grain of the clock, of equal size, is told too', async () => {
  await using watched = watchTree(top);
  watched.put('a.ts', 'aaaa');
  utimesSync(join(watched.root, 'a.ts'), 1_000, 1_000);
  await watched.synced();
  watched.told();
  watched.put('a.ts', 'bbbb');
  utimesSync(join(watched.root, 'a.ts'), 1_000, 1_000);
  await watched.synced();
  expect(watched.told()).toEqual({ changed: ['a.ts'], removed: [] });
});

test('mkdir -p of twenty levels and a thousand files in them are all seen, also into a folder that was empty', async () => {
  mkdirSync(join(top, 'app/empty'), { recursive: true });
  await using watched = watchTree(top);
  await watched.synced();
  const deep = Array.from({ length: 20 }, (_, i) => `d${i}`).join('/');
  for (let i = 0; i < 1_000; i += 1) watched.put(`${i % 2 === 0 ? deep : 'x'}/f${i}.ts`);
  watched.put('empty/now.ts');
  await check(watched);
});

test('a folder that is renamed, removed and made again, or replaced by a link, counts as what it is now', async () => {
  const app = join(top, 'app');
  for (const path of ['one/in/a.ts', 'two/b.ts', 'three/c.ts']) put(app, path);
  await using watched = watchTree(top);
  await check(watched);
  renameSync(join(app, 'one'), join(app, 'eins'));
  rmSync(join(app, 'two'), { recursive: true });
  put(app, 'two/b2.ts');
  rmSync(join(app, 'three'), { recursive: true });
  symlinkSync(join(app, 'two'), join(app, 'three'));
  await check(watched);
  put(app, 'eins/in/after.ts');
  put(app, 'two/after.ts');
  await check(watched);
});

test('ignored and hidden folders are not watched, and a change of a rule counts at once', async () => {
  const app = join(top, 'app');
  mkdirSync(join(app, '.git/info'), { recursive: true });
  put(app, '.gitignore', 'node_modules/\n*.log\n');
  for (let i = 0; i < 50; i += 1) put(app, `node_modules/p${i}/index.js`);
  for (const path of ['src/a.ts', 'src/a.log', '.hidden/b.ts', 'logs/only.log']) put(app, path);
  await using watched = watchTree(top);
  await check(watched);
  // The root, src and logs; the folder of cookies is not one of the tree.
  expect(watched.watch.state().watches).toBe(3);
  put(app, 'node_modules/p1/more.js');
  put(app, 'logs/read.me');
  await check(watched);
  put(app, '.gitignore', '*.ts\n');
  await check(watched);
  put(app, 'src/.ignore', '!a.ts\n');
  await check(watched);
  put(app, '.gitignore', '');
  await check(watched);
  rmSync(join(app, 'node_modules'), { recursive: true });
  await check(watched);
});

test('.git/info/exclude is a rule like the others, also when the repository is made later', async () => {
  await using watched = watchTree(top);
  for (const path of ['a.ts', 'b.log']) watched.put(path);
  await check(watched);
  execFileSync('git', ['init', '-q', watched.root]);
  await watched.synced();
  put(watched.root, '.git/info/exclude', '*.log\n');
  await check(watched);
  put(watched.root, '.git/info/exclude', '*.ts\n');
  await check(watched);
});

test('F-43: pipes, devices, links and names with a newline or without UTF-8 are taken as ripgrep takes them', async () => {
  await using watched = watchTree(top);
  const { root } = watched;
  await watched.synced();
  execFileSync('mkfifo', [join(root, 'pipe')]);
  symlinkSync('/dev/zero', join(root, 'zero'));
  put(root, 'new\nline/a\nb.ts');
  writeFileSync(Buffer.concat([Buffer.from(`${root}/caf`), Buffer.from([0xe9])]), 'latin\n');
  put(root, 'plain.ts');
  await check(watched);
  rmSync(Buffer.concat([Buffer.from(`${root}/caf`), Buffer.from([0xe9])]));
  await check(watched);
});

test('what happened while nobody watched is found at the start, and nothing else is told', async () => {
  const app = join(top, 'app');
  for (const path of ['same.ts', 'changed.ts', 'gone.ts', 'old-time.ts']) put(app, path);
  const first = watchTree(top);
  await first.synced();
  await first.watch.close();
  const { lstatSync } = await import('node:fs');
  const known = ['changed.ts', 'gone.ts', 'old-time.ts', 'same.ts'].map((path) => {
    return { path, ...stampOf(lstatSync(join(app, path))), racy: false };
  });
  put(app, 'changed.ts', 'yy\n');
  const { atime, mtime } = lstatSync(join(app, 'old-time.ts'));
  put(app, 'old-time.ts', 'y\n');
  utimesSync(join(app, 'old-time.ts'), atime, mtime);
  rmSync(join(app, 'gone.ts'));
  put(app, 'new/file.ts');
  await using watched = watchTree(top, { known, clock: laterClock });
  await watched.synced();
  expect(watched.told()).toEqual({ changed: ['changed.ts', 'new/file.ts', 'old-time.ts'], removed: ['gone.ts'] });
});

type Edit = readonly [what: string, a: string, b: string];

const name = fc.constantFrom('a', 'b', 'c.log', 'd', '.e', 'node_modules');
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
const edit: fc.Arbitrary<Edit> = fc.tuple(
  fc.constantFrom('write', 'write', 'write', 'append', 'remove', 'rename', 'mkdir', 'rules', 'wait', 'sync'),
  path,
  path,
);
const rules = ['*.log\n', 'node_modules/\n', '/a/b\n', 'd\n!a/d\n', '!.e\n', 'a/*\n!a/b\n', ''];

function perform(root: string, [what, a, b]: Edit): void {
  try {
    if (what === 'write') put(root, a, `${b}\n`);
    else if (what === 'append') appendFileSync(join(root, a), b);
    else if (what === 'remove') rmSync(join(root, a), { recursive: true, force: true });
    else if (what === 'rename') renameSync(join(root, a), join(root, b));
    else if (what === 'mkdir') mkdirSync(join(root, a), { recursive: true });
    else if (what === 'rules') {
      const file = a.length % 3 === 0 ? '.gitignore' : a.length % 3 === 1 ? `${a}/.gitignore` : `${a}/.ignore`;
      put(root, file, rules[(a.length + b.length) % rules.length]);
    }
  } catch {
    // A path leads through a file: nothing happens.
  }
}

const cases = Number(process.env.ZERD_CASES ?? 60);

test(
  'after any edits the files that count are those that ripgrep lists',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 3, maxLength: 25 }), fc.boolean(), async (edits, git) => {
        const place = makeRoot();
        try {
          if (git) mkdirSync(join(place, 'app/.git'), { recursive: true });
          await using watched = watchTree(place);
          for (const one of edits) {
            if (one[0] === 'sync') await check(watched);
            else if (one[0] === 'wait') await watched.watch.sync();
            else perform(watched.root, one);
          }
          await check(watched);
        } finally {
          removeRoot(place);
        }
      }),
      { numRuns: cases },
    );
  },
  30_000 + cases * 150,
);
