/**
 * What is published: nothing but what it needs, nothing that runs at its installation, and where a part is missing or
 * another than was published, words that say so instead of a daemon that half works (S-66, S-67).
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import type { Step } from '@zerd/simulator/players/player';
import { type House, inHouse, type Program } from '../support/house.ts';
import {
  copyOf,
  fake,
  fetchNode,
  type Installed,
  installAlone,
  installForReal,
  link,
  type Packed,
  pack,
} from '../support/packed.ts';
import { runProgram } from '../support/run-program.ts';
import { keys, openTerminal } from '../support/terminal.ts';

let packed: Packed;
beforeAll(() => {
  packed = pack();
});

const read = (name: string) => readFileSync(join(packed.folder, name), 'utf8');
const files = () =>
  readdirSync(packed.folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(packed.folder.length + 1))
    .sort();

test('the package has two commands, two dependencies and no script (S-66)', () => {
  const { version, description, ...manifest } = JSON.parse(read('package.json'));
  expect({ version, description }).toEqual({ version: '0.1.0', description: expect.any(String) });
  expect(manifest).toEqual({
    name: 'zerd',
    license: 'MIT',
    type: 'module',
    bin: { zerd: 'bin/zerd.js', zerdd: 'bin/zerdd.js' },
    engines: { node: '>=20.19' },
    os: ['linux'],
    files: ['bin', 'dist', 'THIRD-PARTY-NOTICES.md'],
    dependencies: { '@vscode/ripgrep': '1.18.0', 'better-sqlite3': '^12.11.1 || ^13.2.0' },
    publishConfig: { access: 'public', provenance: true },
  });
});

test('the tarball holds what was assembled, and nothing else', () => {
  const names = execFileSync('tar', ['tzf', packed.tarball], { encoding: 'utf8' }).trim().split('\n');
  expect(names.map((name) => name.replace('package/', '')).sort()).toEqual(files());
  const expected =
    /^(?:LICENSE|README\.md|THIRD-PARTY-NOTICES\.md|package\.json|bin\/(?:package\.json|zerdd?\.js)|dist\/(?:zerd\.cjs|acp\.mjs|cost-page\.html|tui\/[\w-]+\.js)|dist\/zerdd\/(?:[\w-]+\.js|files\.json))$/;
  expect(files().filter((name) => !expected.test(name))).toEqual([]);
});

test('no file names a folder of the machine it was packed on, and the client carries no schema library', () => {
  const machine = [join(import.meta.dirname, '../..'), `${homedir()}/`];
  expect(files().filter((name) => machine.some((path) => read(name).includes(path)))).toEqual([]);
  expect(read('dist/zerd.cjs')).not.toMatch(/ZodError|\$ZodType/);
});

test('the licences of what is bundled go along', () => {
  const notices = read('THIRD-PARTY-NOTICES.md');
  for (const name of ['@anthropic-ai/sdk', 'openai', 'undici', 'zod', 'vscode-jsonrpc', 'yargs', 'pino', 'uplot'])
    expect(notices).toMatch(new RegExp(`^## ${name} \\d+\\.\\d+\\.\\d+ \\(.+\\)$`, 'm'));
});

async function installed(prepare: (installed: Installed) => void, story: (installed: Installed) => Promise<void>) {
  const made = installAlone(packed);
  try {
    prepare(made);
    await story(made);
  } finally {
    made.remove();
  }
}

test('alone, without a single dependency, both commands say their version', async () => {
  await installed(
    () => {},
    async ({ folder, bin }) => {
      const options = { cwd: folder, env: { PATH: process.env.PATH ?? '', HOME: folder } };
      const say = (name: string) => runProgram([process.execPath, join(bin, name), '--version'], options);
      expect(await say('zerd.js')).toEqual({ code: 0, stdout: 'zerd 0.1.0\n', stderr: '' });
      expect(await say('zerdd.js')).toEqual({ code: 0, stdout: '0.1.0\n', stderr: '' });
    },
  );
});

const store = 'better-sqlite3';
const ripgrep = '@vscode/ripgrep';
const major = Number.parseInt(process.versions.node, 10);

interface Broken {
  readonly says: string;
  readonly prepare: (installed: Installed) => void;
  readonly message: string;
}

const broken: readonly Broken[] = [
  {
    says: 'without its store',
    prepare: (found) => link(found, ripgrep),
    message: 'the package better-sqlite3 is missing. Nothing was started. Install zerd again.',
  },
  {
    says: 'with --ignore-scripts, so that nothing was compiled',
    prepare(found) {
      link(found, ripgrep, 'bindings', 'file-uri-to-path');
      copyOf(found, store, 'lib');
    },
    message: 'better-sqlite3 has no compiled part: it was installed without its install script, or offline.',
  },
  {
    says: 'under another Node',
    prepare(found) {
      link(found, ripgrep);
      fake(
        found,
        store,
        '12.11.1',
        `module.exports = class { constructor() { throw new Error('NODE_MODULE_VERSION 1'); } };`,
      );
    },
    message: `better-sqlite3 was compiled for another Node than this one (${process.versions.node}).`,
  },
  ...(major >= 22
    ? []
    : [
        {
          says: 'with a store that would crash this Node',
          prepare(found: Installed) {
            link(found, ripgrep);
            fake(found, store, '13.2.0', 'process.abort();');
          },
          message: `better-sqlite3 13.2.0 needs Node 22 or newer and this is ${process.versions.node}.`,
        },
      ]),
  {
    says: 'without optional packages',
    prepare(found) {
      link(found, store);
      copyOf(found, ripgrep, 'lib');
    },
    message: 'Install zerd again without --omit=optional.',
  },
  {
    says: 'with a file that somebody has changed (S-66)',
    prepare(found) {
      link(found, store, ripgrep);
      appendFileSync(join(found.place('zerd'), 'dist/zerd.cjs'), '\n;');
    },
    message: 'dist/zerd.cjs is not the file that was published.',
  },
];

for (const { says, prepare, message } of broken) {
  test(`installed ${says}, it says so and leaves nothing half working (S-67)`, async () => {
    await installed(prepare, async ({ bin }) => {
      await inHouse({ program: { node: process.execPath, bin } }, async (house) => {
        const run = await house.zerd(['run', '--trust', 'hello']);
        expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 1, stdout: '' });
        expect(run.stderr).toContain(message);
        expect(run.stderr.split('\n').filter(Boolean)).toHaveLength(2);
        expect(leftBy(house)).toEqual([]);
        expect(house.gateway.requests).toEqual([]);
      });
    });
  });
}

/** Files of a daemon; what it wrote to standard error is for people and stays, and so does that its start failed. */
function leftBy({ home }: House): readonly string[] {
  const folders = ['run', 'state'].map((name) => join(home, name)).filter((folder) => existsSync(folder));
  return folders
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => !entry.isDirectory() && !/^(zerdd\.stderr\.log|failed-starts-.*\.json)$/.test(entry.name))
    .map(({ name }) => name);
}

/** A repair with a search, an edit and a command, which needs every package that comes along. */
const sample = {
  'sum.sh': 'sum() {\n  echo $(($1 - $2))\n}\n',
  'test.sh': '. ./sum.sh\n[ "$(sum 2 2)" = 4 ] && echo passed\n',
};
const steps: readonly Step[] = [
  { calls: [{ name: 'search', input: { pattern: 'sum\\(\\)' } }] },
  { calls: [{ name: 'read', input: { path: 'sum.sh' } }] },
  { calls: [{ name: 'edit', input: { path: 'sum.sh', old: '$1 - $2', new: '$1 + $2' } }] },
  { calls: [{ name: 'shell', input: { command: 'sh test.sh' } }] },
  { text: 'It adds again.' },
];

async function repair(program: Program, wire: 'anthropic' | 'responses' | 'chat'): Promise<void> {
  await inHouse({ program, wire, steps, files: sample }, async (house) => {
    const run = await house.zerd(['run', '--trust', '--mode', 'full', 'make the tests pass'], { deadlineMs: 60_000 });
    expect(run).toEqual({ code: 0, stdout: 'It adds again.\n', stderr: '' });
    expect(readFileSync(join(house.repository, 'sum.sh'), 'utf8')).toContain('$1 + $2');
    expect(JSON.stringify(house.gateway.requests.at(-1)?.body)).toContain('passed');
    expect(await house.zerdd(['stop'])).toMatchObject({ code: 0 });
  });
}

for (const wire of ['anthropic', 'responses', 'chat'] as const)
  test(`installed whole, it makes a repair over ${wire}`, async () => {
    await installed(
      (found) => link(found, store, ripgrep),
      ({ bin }) => repair({ node: process.execPath, bin }, wire),
    );
  });

test('installed whole, the terminal UI opens and the editor adapter answers', async () => {
  await installed(
    (found) => link(found, store, ripgrep),
    ({ bin }) =>
      inHouse({ program: { node: process.execPath, bin }, steps: [{ text: 'Here.' }] }, async (house) => {
        await house.zerd(['trust']);
        const command = [process.execPath, join(bin, 'zerd.js')];
        const terminal = openTerminal({ command, cwd: house.repository, env: house.env });
        try {
          await terminal.until('sim/sim');
          terminal.type(`there?${keys.enter}`);
          await terminal.until('Here.');
        } finally {
          terminal.kill('SIGKILL');
          await terminal.exited;
        }
        const params = { protocolVersion: 1, clientCapabilities: {} };
        const stdin = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`;
        const { code, stdout, stderr } = await house.zerd(['acp'], { stdin });
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
        expect(JSON.parse(stdout).result.agentInfo).toMatchObject({ name: 'zerd', version: '0.1.0' });
      }),
  );
});

/** Needs a registry, and on Node 20 minutes to compile: only when it is asked for. */
const { ZERD_TEST_INSTALL: install } = process.env;
const really = install === '1' ? test : test.skip;
const quarterOfAnHour = 15 * 60_000;

for (const version of [20, 22, 24])
  really(
    `on Node ${version} it installs into an empty folder and works there`,
    async () => {
      const { node, remove } = await fetchNode(version);
      try {
        const found = await installForReal(packed.tarball, node, quarterOfAnHour);
        try {
          await repair({ node, bin: found.bin }, 'anthropic');
        } finally {
          found.remove();
        }
      } finally {
        remove();
      }
    },
    quarterOfAnHour + 60_000,
  );
