/** I7: nothing of a repository is started before trust, and nothing that it names before the user said yes to it. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { McpRow } from '../../src/base/mcp-ports.ts';
import { env, mcpScene, type Scene, type SceneWish, said, serverFile, testServer, until } from './mcp-scene.ts';

const nobody = new AbortController().signal;

/** A repository whose `.mcp.json` starts a copy of the test server that lies in it. */
function repository(wish: SceneWish = {}): Scene {
  const scene = mcpScene(wish);
  mkdirSync(join(scene.root, 'tools'));
  copyFileSync(serverFile, join(scene.root, 'tools/server.mjs'));
  scene.mcpFile({ test: entryOf(scene) });
  return scene;
}

const entryOf = ({ notesFile }: Scene, ...args: readonly string[]) => ({
  command: 'node',
  args: ['tools/server.mjs', ...args],
  env: { MCP_NOTES: notesFile, MODE: 'a' },
});

function row(scene: Scene): McpRow {
  const found = scene.mcp.list().servers.find(({ name }) => name === 'test');
  if (found === undefined) throw new Error('it is not listed');
  return found;
}

const approve = (scene: Scene) => scene.mcp.approve('test', row(scene).digest);
const echo = async (scene: Scene) => said(await scene.call('echo', { text: 'hello' }));
const waits = ['failed', expect.stringContaining("test waits for the user's word")];

test('S-22: before trust no byte of .mcp.json is read, and not even a server of the user is started', async () => {
  await using scene = repository({ trusted: false, user: { own: { command: 'node', args: [serverFile] } } });
  expect(scene.mcp.list().servers.map(({ name, state }) => [name, state.kind])).toEqual([['own', 'failed']]);
  expect(await scene.mcp.learn(env, nobody)).toEqual([
    { name: 'own', state: { kind: 'failed', why: 'the repository is not trusted' } },
  ]);
  expect((await scene.call('echo', {}, { server: 'own' })).outcome).toBe('failed');
  expect(() => scene.mcp.approve('test', 'x')).toThrow('not trusted');
  expect(scene.notes()).toEqual([]);
});

test('S-26: what stands in a trusted repository is shown as waiting and started by nobody', async () => {
  await using scene = repository();
  expect(scene.mcp.servers()).toEqual([{ name: 'test', state: { kind: 'unapproved' } }]);
  expect(await scene.mcp.learn(env, nobody)).toEqual([{ name: 'test', state: { kind: 'unapproved' } }]);
  expect(await echo(scene)).toEqual(waits);
  await scene.mcp.restart('test', env);
  expect(scene.notes()).toEqual([]);
});

test('S-68: the user sees the whole command and the files it names, and says yes to their digest', async () => {
  await using scene = repository();
  expect(row(scene)).toMatchObject({
    source: 'repository',
    text: 'node tools/server.mjs (env: MCP_NOTES=…, MODE=…)',
    files: ['tools/server.mjs'],
    digest: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(() => scene.mcp.approve('test', '0'.repeat(64))).toThrow('it has changed');
  expect(await echo(scene)).toEqual(waits);
  approve(scene);
  expect(await echo(scene)).toEqual(['ok', 'hello']);
  // Another daemon of the same user finds the word again.
  expect(scene.again().servers()[0]?.state.kind).toBe('ready');
});

test('S-27: one byte of command, argument, variable or script, and the word is void', async () => {
  const changes: readonly (readonly [string, (scene: Scene) => void])[] = [
    ['command', (scene) => scene.mcpFile({ test: { ...entryOf(scene), command: '/usr/bin/env' } })],
    ['argument', (scene) => scene.mcpFile({ test: entryOf(scene, 'x') })],
    [
      'variable',
      (scene) => scene.mcpFile({ test: { ...entryOf(scene), env: { MCP_NOTES: scene.notesFile, MODE: 'b' } } }),
    ],
    ['script', (scene) => scene.write('tools/server.mjs', `${readFileSync(serverFile, 'utf8')} `)],
    ['a file in the place of a name', (scene) => scene.write('tools/server.mjs.js', '')],
  ];
  for (const [what, change] of changes) {
    await using scene = repository();
    approve(scene);
    await scene.mcp.learn(env, nobody);
    const digest = row(scene).digest;
    change(scene);
    expect([what, row(scene).state.kind]).toEqual([what, 'unapproved']);
    expect([what, await echo(scene)]).toEqual([what, waits]);
    expect(() => scene.mcp.approve('test', digest)).toThrow('it has changed');
    // What ran is ended by looking.
    await until(() => scene.notes().some(({ ended }) => ended !== undefined));
    expect(scene.notes().filter(({ started }) => started !== undefined)).toHaveLength(1);
  }
});

test('S-27: what is put back byte for byte needs no second word', async () => {
  await using scene = repository();
  approve(scene);
  scene.mcpFile({ test: entryOf(scene, 'x') });
  expect(await echo(scene)).toEqual(waits);
  scene.mcpFile({ test: entryOf(scene) });
  expect(await echo(scene)).toEqual(['ok', 'hello']);
});

test('S-27: a word is for one name, one repository and one user folder, and can be taken back', async () => {
  await using scene = repository();
  approve(scene);
  scene.mcpFile({ test: entryOf(scene), other: entryOf(scene) });
  expect(scene.mcp.servers().map(({ name, state }) => [name, state.kind])).toEqual([
    ['other', 'unapproved'],
    ['test', 'unknown'],
  ]);
  await scene.mcp.learn(env, nobody);
  expect(scene.mcp.revoke('test')).toBe(true);
  expect(scene.mcp.revoke('test')).toBe(false);
  expect(row(scene).state.kind).toBe('unapproved');
  await until(() => scene.notes().some(({ ended }) => ended !== undefined));

  approve(scene);
  await using copy = repository();
  copyFileSync(join(scene.state, 'mcp-approvals.json'), join(copy.state, 'mcp-approvals.json'));
  expect(row(copy).state.kind).toBe('unapproved');
  writeFileSync(join(scene.state, 'mcp-approvals.json'), '{');
  expect(row(scene).state.kind).toBe('unapproved');
});

test('S-27: a file that a variable or the search path leads to is not run without the word', async () => {
  await using scene = repository();
  const check = async (entry: object, client: Readonly<Record<string, string>>, why: string) => {
    scene.mcpFile({ test: entry });
    approve(scene);
    const answer = await scene.call('echo', {}, { env: { ...env, ...client } });
    expect(said(answer)[1]).toContain(why);
  };
  const variable = { command: 'node', args: ['${WHERE}/server.mjs'], env: { MCP_NOTES: scene.notesFile } };
  await check(
    variable,
    { WHERE: 'tools' },
    'it would run "tools/server.mjs" of the workspace, which it finds through a variable',
  );
  scene.write('tools/helper', '#!/bin/sh\nexec node tools/server.mjs\n', 0o755);
  await check(
    { command: 'helper' },
    { PATH: `${join(scene.root, 'tools')}:${env.PATH}` },
    'it would run "tools/helper"',
  );
  symlinkSync(join(scene.root, 'tools/helper'), join(scene.state, 'linked'));
  await check({ command: 'linked' }, { PATH: `${scene.state}:${env.PATH}` }, 'it would run "tools/helper"');
  expect(scene.notes()).toEqual([]);
});

test('a server of the user goes on whatever becomes of the files that it works on', async () => {
  await using scene = mcpScene();
  scene.write('data.db', 'one');
  const { command, args } = testServer(scene.notesFile);
  scene.user = { test: { command, args: [...args, './data.db'], env: { MCP_NOTES: scene.notesFile } } };
  await scene.mcp.learn(env, nobody);
  scene.write('data.db', 'two');
  expect(await echo(scene)).toEqual(['ok', 'hello']);
  expect(scene.notes().filter(({ started }) => started !== undefined)).toHaveLength(1);
});

test('what runs is ended when trust is taken back, and when its entry is gone', async () => {
  const changes: readonly ((scene: Scene) => void)[] = [
    (scene) => {
      scene.trusted = false;
    },
    (scene) => rmSync(join(scene.root, '.mcp.json')),
  ];
  for (const change of changes) {
    await using scene = repository();
    approve(scene);
    await scene.mcp.learn(env, nobody);
    change(scene);
    expect(scene.mcp.servers()).toEqual([]);
    await until(() => scene.notes().some(({ ended }) => ended !== undefined));
  }
});

test('a named file that is too large to look at is none that anybody can say yes to', async () => {
  await using scene = repository();
  const check = (target: string, why: string) => {
    rmSync(join(scene.root, 'tools/server.mjs'), { force: true });
    symlinkSync(target, join(scene.root, 'tools/server.mjs'));
    expect(() => approve(scene)).toThrow(why);
  };
  writeFileSync(join(scene.state, 'large'), '');
  truncateSync(join(scene.state, 'large'), 65 * 1024 * 1024);
  check(join(scene.state, 'large'), 'names tools/server.mjs, which is larger than 64 MiB');
});

test('S-27: a word covers what lies in a folder that a command goes to, and what a link from outside leads to', async () => {
  await using scene = repository();
  symlinkSync(scene.root, join(scene.state, 'elsewhere'));
  const check = (entry: object) => {
    scene.mcpFile({ test: entry });
    expect(row(scene).files).toEqual(['tools/server.mjs']);
  };
  check({ command: 'sh', args: ['-c', 'cd tools && exec node server.mjs'] });
  check({ command: 'node', args: [join(scene.state, 'elsewhere/tools/server.mjs')] });
  check({ command: 'node', args: ['../repository/tools/./server.mjs'] });
});

test('S-64: what is missing for one client is looked for with the next', async () => {
  await using scene = mcpScene();
  const server = testServer(scene.notesFile);
  scene.user = { test: { ...server, env: { ...server.env, GIVEN: '${GIVEN}' } } };
  const learnt = async (given: Readonly<Record<string, string>>) =>
    (await scene.mcp.learn({ ...env, ...given }, nobody))[0]?.state;
  expect(await learnt({})).toMatchObject({ kind: 'failed', why: expect.stringMatching(/^\$\{GIVEN\} is not set/) });
  expect(await learnt({ GIVEN: 'x' })).toMatchObject({ kind: 'ready' });
});

test('S-64: a server runs with the environment of a command: no key of a provider, nothing of zerd, what its entry says', async () => {
  await using scene = repository();
  const entry = entryOf(scene);
  scene.mcpFile({ test: { ...entry, env: { ...entry.env, GIVEN: '${TOKEN}', OWN: '${UNSET:-usual}' } } });
  approve(scene);
  const client = { ...env, ZERD_MODEL: 'x', ANTHROPIC_API_KEY: 'sk-ant', KEPT: 'yes' };
  const valueFor = async (name: string) => said(await scene.call('env', { name }, { env: client }))[1];
  const names = ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'ZERD_MODEL', 'KEPT', 'GIVEN', 'OWN', 'TERM'];
  expect(await Promise.all(names.map(valueFor))).toEqual([
    ...['undefined', 'undefined', 'undefined', 'yes', env.TOKEN, 'usual', 'dumb'],
  ]);
  const shown = JSON.stringify([scene.mcp.list(), scene.lines]);
  expect(shown).not.toContain(env.TOKEN);
});

test('S-64: a provider’s key is not filled in for a repository, and what is missing is named', async () => {
  await using scene = repository();
  scene.mcpFile({ test: { ...entryOf(scene), args: ['tools/server.mjs', '${OPENAI_API_KEY}', '${NOT_SET}'] } });
  approve(scene);
  expect(said(await scene.call('echo'))[1]).toContain('${OPENAI_API_KEY}, ${NOT_SET} is not set');
  expect(scene.notes()).toEqual([]);
});

test('a repository’s entry under a name of the user has no effect, and that is said', async () => {
  await using scene = repository({ user: { test: { command: 'true' } } });
  expect(row(scene)).toMatchObject({ source: 'user', text: 'true' });
  expect(scene.mcp.list().warnings).toEqual([
    'test of this repository has no effect: your configuration has one of that name',
  ]);
});

test('a .mcp.json that is none, or leads away, is named and costs nothing else', async () => {
  await using scene = repository({ user: { own: { command: 'true' } } });
  const check = (warning: string) => {
    const { servers, warnings } = scene.mcp.list();
    expect([servers.map(({ name }) => name), warnings]).toEqual([['own'], [warning]]);
  };
  scene.write('.mcp.json', '{');
  check('.mcp.json: it is not JSON.');
  scene.write('.mcp.json', ' '.repeat(1_100_000));
  check('.mcp.json: it is larger than 1 MiB.');
});

test('without a server nothing is written, read or loaded', async () => {
  await using scene = mcpScene();
  expect([scene.mcp.servers(), await scene.mcp.learn(env, nobody)]).toEqual([[], []]);
  expect(
    ['mcp-approvals.json', 'mcp-tools', 'mcp-running.json'].map((name) => existsSync(join(scene.state, name))),
  ).toEqual([...[false, false, false]]);
});
