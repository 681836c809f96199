import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { rgPath } from '@vscode/ripgrep';
import type { Search, SearchQuery } from '@zerd/daemon/base/ports';
import { runRipgrep } from '@zerd/daemon/processes/ripgrep';
import { createRipgrepSearch } from '@zerd/daemon/search/ripgrep';
import { run as runFind } from '@zerd/daemon/tools/find/run';
import { run as runSearch } from '@zerd/daemon/tools/search/run';
import type { Clock } from '@zerd/protocol/node/clock';
import { systemClock } from '@zerd/protocol/node/clock';
import { makeToolRoom, textOf } from '../support/tool-room.ts';

let top: string;
let root: string;
let search: Search;
const never = new AbortController().signal;

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'search-')));
  root = join(top, 'app');
  mkdirSync(join(root, '.git'), { recursive: true });
  search = createRipgrepSearch(root);
});

afterEach(() => rmSync(top, { recursive: true, force: true }));

function put(path: string, content: string | Uint8Array) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

const onLinux = process.platform === 'linux' ? test : test.skip;

/** `path:line:column` of each hit; context lines without a column. */
async function places(query: SearchQuery): Promise<string[]> {
  const { hits } = await search.search(query, never);
  return hits.map(({ path, line, column }) => `${path}:${line}${column === undefined ? '' : `:${column}`}`);
}

async function check(query: SearchQuery, expected: readonly string[]) {
  expect({ query, places: await places(query) }).toEqual({ query, places: expected });
}

test('matches come in path order with their line and the UTF-16 offset of the first match', async () => {
  put('src/b.ts', 'é\u{1f600} needle needle\nnone\nneedle\r\n');
  put('src/a.ts', '\ufeffneedle\n');
  put('z.md', 'Needle\n');
  expect(await search.search({ pattern: 'needle' }, never)).toEqual({
    hits: [
      { path: 'src/a.ts', line: 1, text: 'needle', column: 0 },
      { path: 'src/b.ts', line: 1, text: 'é\u{1f600} needle needle', column: 4 },
      { path: 'src/b.ts', line: 3, text: 'needle', column: 0 },
    ],
    totalMatches: 3,
    totalFiles: 2,
    files: [
      { path: 'src/a.ts', count: 1 },
      { path: 'src/b.ts', count: 2 },
    ],
    partial: true,
  });
});

test('literal, ignoreCase, glob, path and context narrow or widen a search', async () => {
  put('src/a.ts', 'x\nfoo(bar)\ny\n');
  put('src/deep/b.test.ts', 'FOO(BAR)\n');
  put('src/c.js', 'foo(bar)\n');
  await check({ pattern: 'foo(bar)', literal: true }, ['src/a.ts:2:0', 'src/c.js:1:0']);
  await check({ pattern: 'FOO.BAR', ignoreCase: true, glob: '*.ts' }, ['src/a.ts:2:0', 'src/deep/b.test.ts:1:0']);
  await check({ pattern: '(?i)foo', glob: '!*.ts' }, ['src/c.js:1:0']);
  await check({ pattern: '(?i)foo', glob: 'src/*.{ts,js}' }, ['src/a.ts:2:0', 'src/c.js:1:0']);
  await check({ pattern: '(?i)foo', glob: '**/deep/**' }, ['src/deep/b.test.ts:1:0']);
  await check({ pattern: 'foo', path: 'src/c.js' }, ['src/c.js:1:0']);
  await check({ pattern: 'foo.bar', path: 'src', context: 1, glob: '*.ts' }, [
    'src/a.ts:1',
    'src/a.ts:2:0',
    'src/a.ts:3',
  ]);
  await check({ pattern: '-foo|x$', path: './src/' }, ['src/a.ts:1:0']);
  await check({ pattern: 'x\\nfoo' }, ['src/a.ts:1:0', 'src/a.ts:2']);
});

test.each([
  '[',
  '[]',
  '[!',
  '[^]',
  'a{b',
  'a}',
  '[b-a]',
  'x\\',
  '{[}]',
  '[]a]',
  '{a,{b,c}}',
  '[a-]',
  '[{]',
  '{,a}',
  '***',
])('a glob is refused where ripgrep refuses it, and never taken for one without a match: %s', async (glob) => {
  put('a.ts', 'needle\n');
  const { status } = spawnSync(rgPath, ['--no-config', '--files', '--glob', glob], { cwd: root });
  const asked = search.search({ pattern: 'needle', glob }, never);
  if (status !== 2) await expect(asked).resolves.toBeDefined();
  else
    await expect(asked).rejects.toMatchObject({
      code: 'invalid_params',
      message: expect.stringMatching(/^The glob '.+' was not accepted: .+\.$/),
    });
});

test('P060 P062: an ignored or hidden path that the query names is searched, others are left aside', async () => {
  writeFileSync(join(root, '.gitignore'), 'build/*\n*.log\nnode_modules/\n');
  put('build/out.js', 'needle');
  put('node_modules/pkg/index.js', 'needle');
  put('debug.log', 'needle');
  put('.github/workflows/ci.yml', 'needle');
  put('src/.hidden/x', 'needle');
  put('src/a.ts', 'nothing');
  await check({ pattern: 'needle' }, []);
  await check({ pattern: 'needle', path: 'src' }, []);
  await check({ pattern: 'needle', path: 'build' }, ['build/out.js:1:0']);
  await check({ pattern: 'needle', path: 'node_modules/pkg' }, ['node_modules/pkg/index.js:1:0']);
  await check({ pattern: 'needle', path: 'debug.log' }, ['debug.log:1:0']);
  await check({ pattern: 'needle', path: '.github' }, ['.github/workflows/ci.yml:1:0']);
  await check({ pattern: 'needle', path: 'src/.hidden' }, ['src/.hidden/x:1:0']);
  await check({ pattern: 'needle', glob: '*' }, []);
  await check({ pattern: 'needle', path: 'src', glob: '*.vue' }, []);
});

test('P054 P058: a giant line is cut around its match at the source', async () => {
  put('min.js', `${'a;'.repeat(300_000)}needle${'b;'.repeat(300_000)}\n`);
  const { hits } = await search.search({ pattern: 'needle' }, never);
  const [hit] = hits;
  expect(hits).toHaveLength(1);
  expect([hit?.text.length, hit?.text.slice(hit.column, (hit.column ?? 0) + 6), hit?.cutBefore, hit?.cutAfter]).toEqual(
    [2_000, 'needle', 599_400, 598_606],
  );
});

test('a line of many megabytes gives its match and costs no memory to speak of', async () => {
  put(
    'huge.txt',
    Buffer.concat([Buffer.alloc(20_000_000, 'a'), Buffer.from(' a "quoted" needle '), Buffer.alloc(20_000_000, 'b')]),
  );
  const { hits, totalMatches } = await search.search({ pattern: '"quoted" \\w+' }, never);
  expect({ hits, totalMatches }).toEqual({
    hits: [
      {
        path: 'huge.txt',
        line: 1,
        text: '"quoted" needle [in a line of many megabytes]',
        column: 0,
        cutBefore: 20_000_003,
      },
    ],
    totalMatches: 1,
  });
});

test('binary files never match, other encodings do', async () => {
  put('nul', 'needle\n\0\n');
  put('latin1', Buffer.from('caf\xe9 needle\n', 'latin1'));
  put('utf16', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('needle\n', 'utf16le')]));
  const { hits } = await search.search({ pattern: 'needle' }, never);
  expect(hits.map(({ path, text, column }) => [path, text, column])).toEqual([
    ['latin1', 'caf\ufffd needle', 5],
    ['utf16', 'needle', 0],
  ]);
});

test('S-51: links are not followed out of the workspace, and a path outside is refused', async () => {
  mkdirSync(join(top, 'secret'));
  writeFileSync(join(top, 'secret', 'key'), 'needle');
  symlinkSync(join(top, 'secret'), join(root, 'link'));
  symlinkSync(join(top, 'secret', 'key'), join(root, 'file'));
  await check({ pattern: 'needle' }, []);
  for (const path of ['link', 'file', 'link/key', '..', '/etc', '/proc/self/root', '~', '../app/../secret']) {
    await expect(search.search({ pattern: 'needle', path }, never)).rejects.toMatchObject({ code: 'invalid_params' });
  }
  await expect(search.search({ pattern: 'x', path: 'absent' }, never)).rejects.toMatchObject({
    message: 'There is no absent in the workspace.',
  });
});

test('a broken pattern is refused in one sentence', async () => {
  await expect(search.search({ pattern: '(' }, never)).rejects.toMatchObject({
    code: 'invalid_params',
    message:
      'The pattern was not accepted: unclosed group. The syntax is that of Rust regular expressions, without look-around; `literal` takes the pattern as plain text.',
  });
  await expect(search.search({ pattern: 'a\0b', literal: true }, never)).rejects.toMatchObject({
    code: 'invalid_params',
    message: expect.stringMatching(/^The pattern was not accepted: a NUL byte is written as \\x00\. The syntax/),
  });
  await expect(search.search({ pattern: '(?<=a)b' }, never)).rejects.toMatchObject({ code: 'invalid_params' });
});

test('a kind of files that ripgrep does not know is named, and the pattern is not blamed', async () => {
  await expect(search.search({ pattern: 'x', type: 'cobol77' }, never)).rejects.toMatchObject({
    code: 'invalid_params',
    message: 'unrecognized file type: cobol77. Known are those of ripgrep: ts, rust, py, md and more.',
  });
});

test("the user's ripgrep configuration has no say", async () => {
  put('a', 'needle\nNEEDLE\n');
  writeFileSync(join(top, 'rc'), '--ignore-case\n');
  const before = process.env.RIPGREP_CONFIG_PATH;
  process.env.RIPGREP_CONFIG_PATH = join(top, 'rc');
  try {
    await check({ pattern: 'needle' }, ['a:1:0']);
  } finally {
    if (before === undefined) delete process.env.RIPGREP_CONFIG_PATH;
    else process.env.RIPGREP_CONFIG_PATH = before;
  }
});

test('too many matches: the first in path order are kept, all are counted, every time alike', async () => {
  const limits = { hits: 25, bytes: 100_000, files: 1_000 };
  const bounded = createRipgrepSearch(root, { limits });
  for (let i = 0; i < 60; i += 1) put(`d${i % 7}/f${i}.txt`, 'needle\n'.repeat(1 + (i % 5)));
  const first = await bounded.search({ pattern: 'needle' }, never);
  const whole = await search.search({ pattern: 'needle' }, never);
  expect(first.hits).toEqual(whole.hits.slice(0, 25));
  expect([first.totalMatches, first.totalFiles, first.files]).toEqual([180, 60, whole.files]);
  expect(await bounded.search({ pattern: 'needle' }, never)).toEqual(first);
});

test('past its time limit an answer is given as it stands, marked incomplete', async () => {
  put('a', 'needle');
  const hasty: Clock = {
    ...systemClock,
    setTimer: (_, fire) => {
      queueMicrotask(fire);
      return { [Symbol.dispose]: () => {} };
    },
  };
  const answer = await createRipgrepSearch(root, { clock: hasty }).search({ pattern: 'needle' }, never);
  expect(answer.incomplete).toBe('stopped after 20 s; narrow the search');
});

test('an interrupted search ends with the reason of the interrupt', async () => {
  put('a', 'needle');
  await expect(search.search({ pattern: 'needle' }, AbortSignal.abort('enough'))).rejects.toBe('enough');
  const controller = new AbortController();
  const running = search.search({ pattern: 'needle' }, controller.signal);
  controller.abort('now');
  await expect(running).rejects.toBe('now');
});

test('a file that cannot be read makes the answer incomplete', async () => {
  put('a', 'needle');
  put('b', 'needle');
  chmodSync(join(root, 'b'), 0);
  const { hits, incomplete } = await search.search({ pattern: 'needle' }, never);
  // The superuser reads it all the same.
  if (process.getuid?.() === 0) expect([hits.length, incomplete]).toEqual([2, undefined]);
  else
    expect([hits.length, incomplete]).toEqual([
      1,
      'some files could not be read (./b: Permission denied (os error 13))',
    ]);
});

test('a workspace that is gone is named', async () => {
  rmSync(root, { recursive: true });
  await expect(search.search({ pattern: 'x' }, never)).rejects.toMatchObject({ code: 'folder_missing' });
  await expect(search.find('x', never)).rejects.toMatchObject({ code: 'folder_missing' });
});

async function find(pattern: string, expected: readonly string[]) {
  expect({ pattern, ...(await search.find(pattern, never)) }).toEqual({
    pattern,
    paths: expected,
    total: expected.length,
  });
}

test('files are found by glob or by part of the path, sorted', async () => {
  for (const path of ['src/Button.tsx', 'src/button.test.tsx', 'lib/b.ts', 'a b.md', 'packages/x/src/Menu.tsx'])
    put(path, '');
  await find('button', ['src/Button.tsx', 'src/button.test.tsx']);
  await find('src/', ['packages/x/src/Menu.tsx', 'src/Button.tsx', 'src/button.test.tsx']);
  await find('*.ts', ['lib/b.ts']);
  await find('src/*.tsx', ['packages/x/src/Menu.tsx', 'src/Button.tsx', 'src/button.test.tsx']);
  await find('/src/*.tsx', ['src/Button.tsx', 'src/button.test.tsx']);
  await find('A B', ['a b.md']);
  await find('nothing', []);
});

test('P060 P062: find honours an exact path and a folder that are ignored or hidden', async () => {
  writeFileSync(join(root, '.gitignore'), 'dist/\n*.gen.ts\n');
  for (const path of ['dist/deep/out.js', 'api.gen.ts', '.github/ci.yml', 'src/a.ts']) put(path, '');
  await find('out.js', []);
  await find('*', ['src/a.ts']);
  await find('dist/deep/out.js', ['dist/deep/out.js']);
  await find('dist', ['dist/deep/out.js']);
  await find('dist/**/*.js', ['dist/deep/out.js']);
  await find('api.gen.ts', ['api.gen.ts']);
  await find('.github/*.yml', ['.github/ci.yml']);
  await find('../secret', []);
});

test('at most 200 paths are given, all are counted', async () => {
  for (let i = 0; i < 230; i += 1) put(`f/${String(i).padStart(3, '0')}.txt`, '');
  const { paths, total } = await search.find('*.txt', never);
  expect([paths.length, paths[0], paths[199], total]).toEqual([200, 'f/000.txt', 'f/199.txt', 230]);
});

test('the tools say what to do when nothing is found or the pattern is broken', async () => {
  const room = await makeToolRoom();
  try {
    room.put('.hidden/a', 'needle');
    room.put('b', 'x');
    const shown = async (pattern: string, path?: string) => {
      const result = await runSearch({ pattern, ...(path === undefined ? {} : { path }) }, room.context);
      return [result.outcome, textOf(result)];
    };
    expect(await shown('needle')).toEqual([
      'ok',
      'no matches (hidden and ignored files were not searched; `path` can name one)',
    ]);
    expect(await shown('needle', 'b')).toEqual(['ok', 'no matches']);
    expect((await shown('('))[0]).toBe('failed');
    expect((await runSearch({ pattern: 'x' }, room.context)).body).toMatchObject({
      kind: 'hits',
      answer: { totalMatches: 1 },
    });
    expect((await runSearch({ pattern: 'x' }, room.with({ signal: AbortSignal.abort() }))).outcome).toBe('interrupted');
    expect(textOf(await runFind({ pattern: 'nope' }, room.context))).toBe(
      'no files (hidden and ignored ones are only found by naming their folder)',
    );
    for (let i = 0; i < 201; i += 1) room.put(`f/${i}`, '');
    expect(
      textOf(await runFind({ pattern: 'f/' }, room.context)).endsWith('\n[200 of 201 files; narrow the pattern]'),
    ).toBe(true);
  } finally {
    room.remove();
  }
});

test('what is neither file nor folder is not searched: a named pipe would be waited for', async () => {
  execFileSync('mkfifo', [join(root, 'pipe')]);
  await expect(search.search({ pattern: 'x', path: 'pipe' }, never)).rejects.toMatchObject({
    code: 'invalid_params',
    message: 'pipe is neither a file nor a folder. It was not opened.',
  });
});

test.each(['.gitignore', '.ignore', '.rgignore', '.git/info/exclude', '../.ignore'])(
  'a search does not wait for %s that is a pipe or a device: it says so at once',
  async (name) => {
    put('a.txt', 'needle');
    mkdirSync(join(root, '.git/info'), { recursive: true });
    const place = join(root, name);
    const refused = {
      code: 'invalid_params',
      message: `${place} is a pipe or a device: to read it would not end. Nothing was searched. Remove it, or put a file in its place.`,
    };
    execFileSync('mkfifo', [place]);
    await expect(search.search({ pattern: 'needle' }, never)).rejects.toMatchObject(refused);
    await expect(search.find('*.txt', never)).rejects.toMatchObject(refused);
    rmSync(place);
    symlinkSync('/dev/zero', place);
    await expect(search.search({ pattern: 'needle' }, never)).rejects.toMatchObject(refused);
    rmSync(place);
    symlinkSync('/dev/null', place);
    await check({ pattern: 'needle' }, ['a.txt:1:0']);
  },
);

onLinux('an ignore file without an end, deep in the tree, takes no more memory than ripgrep may have', async () => {
  put('deep/a.txt', 'needle');
  symlinkSync('/dev/zero', join(root, 'deep/.gitignore'));
  const args = ['--files', '--', './'];
  const run = runRipgrep({ args, cwd: root, signal: never, onOutput: () => 'go', mostMemory: 256 * 2 ** 20 });
  await expect(run).rejects.toMatchObject({
    code: 'invalid_params',
    message: expect.stringMatching(/^ripgrep was ended by SIGABRT \(memory allocation of \d+ bytes failed\), and/),
  });
});

test('a found name that holds a newline is told as one line', async () => {
  put('a\nb.md', 'needle');
  const room = await makeToolRoom();
  expect(textOf(await runFind({ pattern: '*.md' }, room.with({ root, search })))).toBe('"a\\nb.md"');
  room.remove();
});
