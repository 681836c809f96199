import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';

const house = join(import.meta.dirname, '../..');
const tools = [
  'bash',
  'env',
  'dirname',
  'mktemp',
  'rm',
  'mkdir',
  'tail',
  'node',
  'git',
  'make',
  'python3',
  'c++',
  'cat',
  'cp',
  'touch',
];
const headers = join(dirname(dirname(process.execPath)), 'include/node/node.h');

// npm as the scripts see it: it notes how it was called and leaves what a real install leaves.
const npm = `#!/usr/bin/env bash
echo "npm $* nodedir=\${npm_config_nodedir:-}" >>calls
if [ -e npm-fails ]; then echo 'npm ERR! registry on fire'; exit 7; fi
mkdir -p node_modules/.bin node_modules/better-sqlite3
cp package-lock.json node_modules/.package-lock.json
echo 'module.exports = class { close() {} };' >node_modules/better-sqlite3/index.js
cp turbo.sh node_modules/.bin/turbo
`;
const turbo = `#!/usr/bin/env bash
echo "turbo $* telemetry=\${TURBO_TELEMETRY_DISABLED:-}" >>calls
`;

let tree = '';

beforeEach(() => {
  tree = mkdtempSync(join(tmpdir(), 'zerd-prepare-'));
  for (const folder of ['bin', 'scripts', 'protocol', 'packages/cli/src'])
    mkdirSync(join(tree, folder), { recursive: true });
  for (const file of ['prepare.sh', 'installed.mjs', 'tree.mjs'])
    copyFileSync(join(house, 'scripts', file), join(tree, 'scripts', file));
  for (const tool of tools)
    symlinkSync(
      execFileSync('bash', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim(),
      join(tree, 'bin', tool),
    );
  writeFileSync(join(tree, 'bin/npm'), npm, { mode: 0o755 });
  writeFileSync(join(tree, 'turbo.sh'), turbo, { mode: 0o755 });
  for (const file of ['turbo.json', 'tsconfig.base.json', 'packages/cli/src/main.ts', 'calls'])
    writeFileSync(join(tree, file), '');
  lock('1.0.0');
});

afterEach(() => rmSync(tree, { recursive: true, force: true }));

function lock(version: string): void {
  const packages = { '': {}, 'node_modules/a': { version }, 'node_modules/of-macos': { version, optional: true } };
  writeFileSync(join(tree, 'package-lock.json'), JSON.stringify({ packages }));
}

/** Runs prepare.sh from another folder; what it called since the last time, its status and what it said. */
function prepare() {
  writeFileSync(join(tree, 'calls'), '');
  const options = { cwd: '/', env: { PATH: join(tree, 'bin'), HOME: tree }, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(join(tree, 'bin/bash'), [join(tree, 'scripts/prepare.sh')], options);
  expect(stdout).toBe('');
  return { status, calls: readFileSync(join(tree, 'calls'), 'utf8').trim().split('\n'), says: stderr };
}

function useNode(script: string): void {
  rmSync(join(tree, 'bin/node'));
  writeFileSync(join(tree, 'bin/node'), script, { mode: 0o755 });
}

const nodedir = spawnSync('test', ['-f', headers]).status === 0 ? dirname(dirname(dirname(headers))) : '';
const installCall = `npm ci --include=dev --include=optional --ignore-scripts=false --dry-run=false --global=false --package-lock=true --legacy-peer-deps=false --install-strategy=hoisted nodedir=${nodedir}`;
const buildCall = 'turbo run build --output-logs=errors-only --no-color telemetry=1';

test('the first run installs and builds, the second leaves it to turbo that there is nothing to do', () => {
  const first = prepare();
  expect(first).toMatchObject({ status: 0, calls: [installCall, buildCall] });
  expect(first.says).toContain('about two minutes on one core');
  expect(prepare()).toEqual({ status: 0, calls: [buildCall], says: '' });
});

test('another lock installs again', () => {
  prepare();
  lock('2.0.0');
  expect(prepare().calls[0]).toBe(installCall);
});

test('an install that broke off is done again', () => {
  prepare();
  rmSync(join(tree, 'node_modules/.package-lock.json'));
  expect(prepare().calls).toEqual([installCall, buildCall]);
});

test('a native module of another Node is compiled again, nothing else installed', () => {
  prepare();
  writeFileSync(
    join(tree, 'node_modules/better-sqlite3/index.js'),
    'throw new Error("compiled against NODE_MODULE_VERSION 127");',
  );
  expect(prepare()).toMatchObject({
    status: 0,
    calls: [`npm rebuild better-sqlite3 --ignore-scripts=false nodedir=${nodedir}`, buildCall],
  });
});

test('an install that fails shows what npm said and builds nothing', () => {
  writeFileSync(join(tree, 'npm-fails'), '');
  const { status, calls, says } = prepare();
  expect({ status, calls }).toEqual({ status: 1, calls: [installCall] });
  expect(says).toContain('npm ERR! registry on fire');
  expect(says).toContain('Installing failed (exit 7). Nothing else was done.');
});

for (const [tool, message] of [
  ['node', `zerd needs Node 20.19 or newer, and 'node' was not found.`],
  ['git', `zerd needs git, and 'git' was not found. Install it (Debian: apt-get install git)`],
  ['make', `zerd needs make, and 'make' was not found. Install it (Debian: apt-get install make)`],
  ['python3', `zerd needs Python 3, and 'python3' was not found. Install it (Debian: apt-get install python3)`],
  ['c++', `zerd needs a C++ compiler, and 'c++' was not found. Install it (Debian: apt-get install g++)`],
] as const)
  test(`without ${tool} it says what to install, and calls nothing`, () => {
    rmSync(join(tree, 'bin', tool));
    const { status, calls, says } = prepare();
    expect({ status, calls }).toEqual({ status: 1, calls: [''] });
    expect(says).toContain(message);
  });

test('a Node that is too old is named with its version', () => {
  useNode('#!/usr/bin/env bash\nif [ "$1" = --version ]; then echo v18.20.0; else exit 1; fi\n');
  expect(prepare()).toMatchObject({
    status: 1,
    says: expect.stringMatching(/needs Node 20\.19 or newer; '.*\/node' is v18\.20\.0\./),
  });
});
