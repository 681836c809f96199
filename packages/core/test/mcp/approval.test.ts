import { expect, test } from '@jest/globals';
import { digestInput } from '@zerd/core/mcp/digest-input';
import { entryText } from '@zerd/core/mcp/entry-text';
import { fillIn } from '@zerd/core/mcp/fill-in';
import { namedPaths } from '@zerd/core/mcp/named-paths';
import type { McpEntry } from '@zerd/core/mcp/server';
import fc from 'fast-check';

const stdio = (command: string, args: readonly string[] = [], env = {}): McpEntry => ({
  kind: 'stdio',
  command,
  args,
  env,
});
const http = (url: string, headers = {}): McpEntry => ({ kind: 'http', url, headers });

test('S-27: what the word is for differs with every byte of the entry and of the files, and not with the order of names', () => {
  const files = (...pairs: [string, string][]) => new Map(pairs);
  const entry = stdio('node', ['a.js'], { A: '1', B: '2' });
  const same = digestInput(entry, files(['a', '1'], ['b', '2']));
  expect(digestInput(stdio('node', ['a.js'], { B: '2', A: '1' }), files(['b', '2'], ['a', '1']))).toBe(same);
  const others = [
    digestInput(entry, files(['a', '1'], ['b', '3'])),
    digestInput(entry, files(['a', '1'])),
    digestInput(stdio('node', ['a.js'], { A: '1' }), files(['a', '1'], ['b', '2'])),
    digestInput(stdio('node', ['a.js', ''], { A: '1', B: '2' }), files(['a', '1'], ['b', '2'])),
    digestInput(stdio('nodf', ['a.js'], { A: '1', B: '2' }), files(['a', '1'], ['b', '2'])),
    digestInput(http('http://x'), files()),
    digestInput(http('http://x', { A: 'b' }), files()),
  ];
  expect(new Set([same, ...others]).size).toBe(others.length + 1);
});

test('S-27: two entries that differ differ in what is hashed', () => {
  const entries = fc.record({
    command: fc.string(),
    args: fc.array(fc.string(), { maxLength: 3 }),
    env: fc.dictionary(fc.string(), fc.string(), { maxKeys: 3 }),
  });
  fc.assert(
    fc.property(entries, entries, (a, b) => {
      const text = ({ command, args, env }: typeof a) => digestInput(stdio(command, args, env), new Map());
      const plain = ({ command, args, env }: typeof a) => JSON.stringify([command, args, Object.entries(env).sort()]);
      expect(text(a) === text(b)).toBe(plain(a) === plain(b));
    }),
  );
});

test('S-27: the files are looked for where the process looks for them', () => {
  const check = (entry: McpEntry, ...paths: readonly string[]) =>
    expect(namedPaths(entry)).toEqual(expect.arrayContaining([...paths]));
  check(stdio('./run.sh'), './run.sh');
  check(stdio('node', ['tools/server']), 'tools/server', 'tools/server.js', 'tools/server/index.js');
  check(stdio('node', ['--import=./hook.mjs', 'a.js']), './hook.mjs', 'a.js');
  check(stdio('node', ['--import', 'file:///w/hook.mjs']), '/w/hook.mjs');
  check(stdio('sh', ['-c', 'cd x && node "y.js"; ./z']), 'x', 'y.js', './z');
  check(stdio('python3', ['-m', 'pkg.server']), 'pkg/server.py', 'pkg/server/__main__.py');
  check(stdio('npx', ['thing']), 'package.json', '.npmrc', 'node_modules/.bin/thing');
  check(stdio('make', ['serve']), 'Makefile');
  check(stdio('node', ['a'], { NODE_OPTIONS: '--require ./evil.js' }), './evil.js');
  check(stdio('tool', [], { PATH: 'bin:/usr/bin' }), 'bin/tool', '/usr/bin/tool');
  check(stdio('node', ['${DIR:-./lib}/s.js']), './lib/s.js');
  expect(namedPaths(stdio('node', ['a'], { DB: 'data.db' }))).not.toContain('data.db');
  expect(namedPaths(http('https://x'))).toEqual([]);
});

test('S-27: and in the folders to which it may go first', () => {
  const check = (entry: McpEntry, ...paths: readonly string[]) =>
    expect(namedPaths(entry, ['sub'])).toEqual(expect.arrayContaining([...paths]));
  check(stdio('sh', ['-c', 'cd sub && node s.js']), 'sub/s.js', 's.js');
  check(stdio('uv', ['--directory', 'sub', 'run', 'server.py']), 'sub/server.py', 'sub/pyproject.toml');
  check(stdio('make', ['-C', 'sub', 'serve']), 'sub/Makefile');
  check(stdio('npx', ['--prefix', 'sub', 'thing']), 'sub/node_modules/.bin/thing', 'sub/package.json');
});

test('an entry is shown whole, without values that may be secrets, on one line and with nothing hidden (S-63, S-64, S-68)', () => {
  const check = (entry: McpEntry, text: string) => expect(entryText(entry)).toBe(text);
  check(stdio('node', ['a.js', 'two words', "it's", '']), `node a.js 'two words' 'it'\\''s' ''`);
  check(stdio('x', [], { TOKEN: 'abc', FROM: '${FROM}', MIXED: 'x${A}' }), 'x (env: TOKEN=…, FROM=${FROM}, MIXED=…)');
  check(
    stdio('x', [], { NODE_OPTIONS: '--require ./e.js', LD_PRELOAD: '/e.so' }),
    `x (env: NODE_OPTIONS='--require ./e.js', LD_PRELOAD=/e.so)`,
  );
  check(stdio('x', ['a\u202eb', '\u{e0041}\n']), `x 'a\\u{202e}b' '\\u{e0041}\\n'`);
  check(http('https://x/mcp', { Authorization: 'Bearer abc' }), 'https://x/mcp (headers: Authorization=…)');
});

test('variables are filled in everywhere but in the command, and what is missing is named', () => {
  const lookUp = (name: string) => ({ A: 'one', EMPTY: '' })[name];
  const check = (entry: McpEntry, filled: McpEntry, ...secrets: readonly string[]) =>
    expect(fillIn(entry, lookUp)).toEqual({ kind: 'filled', entry: filled, secrets });
  check(
    stdio('${A}', ['${A}-${A}', '${B:-two}'], { C: 'x${EMPTY:-y}' }),
    stdio('${A}', ['one-one', 'two'], { C: 'xy' }),
    'one',
    'xy',
  );
  check(
    http('http://${A}/${B:-}', { H: '$A $ {A} ${' }),
    http('http://one/', { H: '$A $ {A} ${' }),
    'one',
    '$A $ {A} ${',
  );
  expect(fillIn(stdio('x', ['${B}${C}'], { D: '${EMPTY}' }), lookUp)).toEqual({
    kind: 'missing',
    names: ['B', 'C', 'EMPTY'],
  });
});
