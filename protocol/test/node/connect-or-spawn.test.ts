import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { openSmallDisk } from '../../../test/support/small-disk.ts';
import { runtimeFolder, socketPath, stateFolder } from '../../src/node/paths.ts';
import { cleanEnv } from '../../src/node/start-daemon.ts';
import { base, behave, env, root, start, starts } from './support/stand-in.ts';

const refused = (message: RegExp | string) => ({
  code: 'daemon_unavailable',
  message: expect.stringMatching(message),
});

test('where no daemon runs one is started, detached, with a clean environment and in no folder', async () => {
  behave({});
  let told = 0;
  const zerd = await start({ env: { ...env, NODE_OPTIONS: '--no-warnings', TERM: 'xterm' }, onStart: () => told++ });
  expect(zerd.hello.daemon.version).toBe('fixture');
  expect(told).toBe(1);
  expect(starts()).toEqual([
    {
      pid: zerd.hello.daemon.pid,
      cwd: '/',
      args: ['--root', root],
      env: { HOME: base, PATH: env.PATH, XDG_RUNTIME_DIR: env.XDG_RUNTIME_DIR },
    },
  ]);
});

test('a second client connects to the daemon that runs', async () => {
  behave({});
  const first = await start();
  const second = await start();
  expect([second.hello.daemon.pid, starts().length]).toEqual([first.hello.daemon.pid, 1]);
});

test('keys, node settings and the terminal are not inherited', () => {
  const given = {
    HOME: '/h',
    LC_ALL: 'C',
    XDG_DATA_HOME: '/d',
    ZERD_CONFIG_DIR: '/z',
    OPENAI_API_KEY: 'k',
    NODE_OPTIONS: 'x',
    TERM: 't',
    ZERD_X: '1',
    GONE: undefined,
  };
  expect(cleanEnv(given)).toEqual({ HOME: '/h', LC_ALL: 'C', XDG_DATA_HOME: '/d', ZERD_CONFIG_DIR: '/z' });
});

test('twelve clients that start at once share one daemon, and none fails (F-26)', async () => {
  behave({ lock: true });
  const clients = await Promise.all(Array.from({ length: 12 }, () => start()));
  const pids = new Set(clients.map(({ hello }) => hello.daemon.pid));
  expect(pids.size).toBe(1);
  expect(starts()).toHaveLength(1);
});

test('a start that finds another owner is no failure: the client keeps looking', async () => {
  behave({ exit: 75 });
  const zerd = start();
  while (starts().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  behave({});
  expect((await zerd).hello.daemon.version).toBe('fixture');
});

test('the socket file of a killed daemon is no daemon (F-27)', async () => {
  behave({});
  const first = await start();
  process.kill(first.hello.daemon.pid, 'SIGKILL');
  await first.closed;
  expect(existsSync(socketPath(runtimeFolder(root, env)))).toBe(true);
  const second = await start();
  expect(second.hello.daemon.pid).not.toBe(first.hello.daemon.pid);
});

test('a daemon that fails to start fails the client with what it said', async () => {
  behave({ exit: 1, stderr: 'noise\nzerdd: store_unsafe: The folder is on NFS.\n' });
  await expect(start()).rejects.toMatchObject({ code: 'store_unsafe', message: 'The folder is on NFS.' });
});

test('a daemon that dies without a word fails the client with its exit code and the place of its output', async () => {
  behave({ exit: 3, stderr: 'Error: it broke\n    at x\n' });
  await expect(start()).rejects.toMatchObject(refused(/exit 3: Error: it broke.*zerdd\.stderr\.log/));
  expect(lstatSync(join(stateFolder(root, env), 'zerdd.stderr.log')).mode & 0o777).toBe(0o600);
});

test('a program that does not exist fails the client', async () => {
  await expect(start({ zerddPath: join(base, 'none.mjs') })).rejects.toMatchObject(refused('Cannot find module'));
});

test('`never` starts nothing', async () => {
  behave({});
  await expect(start({ spawn: 'never' })).rejects.toMatchObject(refused(`No daemon runs for ${root}`));
  expect(starts()).toEqual([]);
});

test('S-07: what a repository or its environment says of an address is never gone to', async () => {
  const knocks: string[] = [];
  const sink = createServer((socket) => {
    knocks.push('knock');
    socket.destroy();
  });
  await once(sink.listen(0, '127.0.0.1'), 'listening');
  const { port } = sink.address() as AddressInfo;
  const url = `ws://127.0.0.1:${port}`;
  const planted = {
    protocol: { min: 1, max: 1 },
    version: '9',
    root,
    pid: 1,
    startedAt: 0,
    endpoint: url,
    web: { url, token: 't' },
  };
  mkdirSync(join(root, '.zerd'));
  for (const file of ['.zerd/zerdd.json', 'zerdd.json', '.zerd/config.json'])
    writeFileSync(join(root, file), JSON.stringify(planted));
  const told = { ...env, ZERD_URL: url, ZERD_ENDPOINT: url, ZERD_GATEWAY_URL: url };
  await expect(start({ spawn: 'never', env: told })).rejects.toMatchObject(refused(`No daemon runs for ${root}`));
  expect(knocks).toEqual([]);
  sink.close();
});

test('a claim that its client left behind is overtaken', async () => {
  behave({});
  const claim = join(runtimeFolder(root, env), 'starting');
  writeFileSync(claim, '');
  utimesSync(claim, new Date(0), new Date(0));
  await start();
  expect([starts().length, existsSync(claim)]).toEqual([1, false]);
});

test('a folder that is gone is said to be', async () => {
  await expect(start({ root: join(base, 'none') })).rejects.toMatchObject({ code: 'folder_missing' });
});

test('a runtime folder that cannot be made is a clear refusal (F-41)', async () => {
  writeFileSync(join(base, 'file'), '');
  const broken = { ...env, XDG_RUNTIME_DIR: '', XDG_STATE_HOME: join(base, 'file') };
  await expect(start({ env: broken })).rejects.toMatchObject(refused('ENOTDIR'));
});

test('F-41: who cannot be given a daemon is told which folder refuses, why, and what to set', async () => {
  writeFileSync(join(base, 'file'), '');
  const folder = (role: string, at: string) => `The ${role} folder ${at} cannot be used. `;
  const todo = (name: string) =>
    `Nothing was started or changed. Mend its permissions, or set ${name} to a folder of your own on a disk that can be written.`;
  const file = { ...env, XDG_STATE_HOME: join(base, 'file') };
  const refusals: readonly (readonly [Record<string, string>, string, string])[] = [
    [
      file,
      `${folder('state', stateFolder(root, file))}${join(base, 'file/zerd')}: a file stands where a folder should be (ENOTDIR). ${todo('XDG_STATE_HOME')}`,
      'ENOTDIR',
    ],
    // Below /proc nothing can be made, and Node's own recursion would never end.
    [
      { ...env, XDG_RUNTIME_DIR: '', XDG_STATE_HOME: '/proc/none' },
      `${folder('runtime', runtimeFolder(root, { XDG_STATE_HOME: '/proc/none' }))}/proc/none: it cannot be made there (ENOENT). ${todo('XDG_RUNTIME_DIR')}`,
      'ENOENT',
    ],
  ];
  for (const [broken, message, code] of refusals)
    await expect(start({ env: broken })).rejects.toMatchObject({
      code: 'daemon_unavailable',
      message,
      cause: { code },
    });
});

const disk = openSmallDisk(1);
afterAll(() => disk?.unmount());
const testOnDisk = disk === undefined ? test.skip : test;

testOnDisk('F-37, F-41: a runtime folder on a full or a read-only disk is told by its own code', async () => {
  const { folder = '' } = disk ?? {};
  const there = { ...env, XDG_RUNTIME_DIR: folder };
  execFileSync('mount', ['-o', 'remount,ro', folder]);
  const readOnly = { message: expect.stringContaining('its disk is read-only (EROFS)'), cause: { code: 'EROFS' } };
  await expect(start({ env: there })).rejects.toMatchObject({ code: 'daemon_unavailable', ...readOnly });
  execFileSync('mount', ['-o', 'remount,rw,nr_inodes=1', folder]);
  const full = { message: expect.stringContaining('its disk is full (ENOSPC)'), cause: { code: 'ENOSPC' } };
  await expect(start({ env: there })).rejects.toMatchObject({ code: 'disk_full', ...full });
});

test('F-36: a daemon that cannot live is not started a sixth time, and each client hears why; with it mended all is well', async () => {
  const failing = join(base, 'failing.mjs');
  writeFileSync(
    failing,
    `import { appendFileSync } from 'node:fs';
    appendFileSync(${JSON.stringify(join(base, 'tried'))}, 'x');
    process.stderr.write('zerdd: store_unsafe: The database is of a newer zerd.\\n');
    process.exit(1);`,
  );
  for (let count = 0; count < 7; count++) {
    const message = expect.stringContaining('The database is of a newer zerd.');
    await expect(start({ zerddPath: failing })).rejects.toMatchObject({ code: 'store_unsafe', message });
  }
  expect(readFileSync(join(base, 'tried'), 'utf8')).toBe('xxxxx');
  rmSync(join(runtimeFolder(root, env), 'failed-starts-0.json'));
  behave({});
  expect((await start()).hello.root).toBe(root);
});

test('a daemon that is blocked in its loop is waited for; its socket stays and no other is started (F-28)', async () => {
  behave({ busyMs: 600 });
  const first = start();
  const second = start();
  const socket = socketPath(runtimeFolder(root, env));
  await first;
  const before = lstatSync(socket).ino;
  expect([(await second).hello.daemon.pid, lstatSync(socket).ino]).toEqual([(await first).hello.daemon.pid, before]);
  expect(starts()).toHaveLength(1);
});

test('a daemon that is stopping while it is asked is left alone, and the next one is found', async () => {
  behave({});
  const socket = socketPath(runtimeFolder(root, env));
  let asked = 0;
  const stopping = createServer((peer) => {
    asked += 1;
    peer.destroy();
    if (asked === 3) stopping.close();
  });
  await listening(stopping, socket);
  const zerd = await start();
  expect(asked).toBe(3);
  expect(zerd.hello.daemon.version).toBe('fixture');
});

function listening(server: Server, socket: string): Promise<void> {
  return new Promise((resolve) => server.listen(socket, resolve));
}

test('a private daemon speaks over its pipes and ends with its client', async () => {
  behave({});
  const zerd = await start({ spawn: 'private' });
  expect(starts().map(({ args, env: its }) => [args, its.ANTHROPIC_API_KEY])).toEqual([
    [['--root', root, '--stdio'], undefined],
  ]);
  zerd.close();
  await zerd.closed;
  expect(() => process.kill(zerd.hello.daemon.pid, 0)).toThrow();
});

test('where a daemon owns the repository a private one is refused, and the daemon is named', async () => {
  behave({ lock: true });
  const daemon = await start();
  const file = join(runtimeFolder(root, env), 'zerdd.json');
  writeFileSync(file, JSON.stringify({ pid: daemon.hello.daemon.pid, root, endpoint: null }));
  const message = new RegExp(`pid ${daemon.hello.daemon.pid}.*owns.*--no-daemon`);
  await expect(start({ spawn: 'private' })).rejects.toMatchObject(refused(message));
});
