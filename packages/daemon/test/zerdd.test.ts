/** The process itself: who owns a repository, what others can reach, and how it ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { ZerdClient } from '@zerd/protocol/node/client';
import { type ConnectOptions, connectOrSpawn } from '@zerd/protocol/node/connect-or-spawn';
import { runtimeFolder, socketPath, stateFolder } from '@zerd/protocol/node/paths';
import { processesWith } from '../../../test/support/left-alive.ts';
import { useBundledZerdd } from './support/bundled-zerdd.ts';
import { makeScene, removeScene } from './support/zerdd-scene.ts';

const zerdd = useBundledZerdd();

let base = '';
let root = '';
let env: Record<string, string> = {};

beforeEach(() => {
  ({ base, root, env } = makeScene());
});

afterEach(() => removeScene({ base, root, env }));

async function until(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`never came true: ${holds}`);
    await tick();
  }
}

const tick = () => new Promise((resolve) => setTimeout(resolve, 5));
const runtime = () => runtimeFolder(root, env);
const state = () => stateFolder(root, env);

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone already.
  }
}

function client(more: Partial<ConnectOptions> = {}): Promise<ZerdClient> {
  return connectOrSpawn({ root, env, client: { name: 't', version: '0' }, zerddPath: zerdd.path, ...more });
}

async function hangUp(...clients: readonly ZerdClient[]): Promise<void> {
  for (const zerd of clients) zerd.close();
  await Promise.all(clients.map(({ closed }) => closed));
}

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly errors: string;
}

function start(
  args: readonly string[],
  more: Record<string, string> = {},
): { child: ChildProcess; ended: Promise<Ran> } {
  const child = spawn(process.execPath, [zerdd.path, ...args], { cwd: root, env: { ...env, ...more }, stdio: 'pipe' });
  let [out, errors] = ['', ''];
  child.stdout.on('data', (text) => {
    out += text;
  });
  child.stderr.on('data', (text) => {
    errors += text;
  });
  return { child, ended: once(child, 'close').then(([code]) => ({ code: code as number | null, out, errors })) };
}

const run = (...args: readonly string[]) => start(args).ended;

/** What it has open, but for what it closes meanwhile. */
function filesOf(pid: number | undefined): readonly string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
    } catch {
      return [];
    }
  });
}

const listening = () => until(() => existsSync(socketPath(runtime())));

test('twelve clients at once, kill -9 between: always one owner, and no client fails (F-26, F-27)', async () => {
  const owners: number[] = [];
  for (let round = 0; round < 4; round++) {
    const clients = await Promise.all(Array.from({ length: 12 }, () => client()));
    const pids = new Set(clients.map(({ hello }) => hello.daemon.pid));
    expect(pids.size).toBe(1);
    const [pid = 0] = pids;
    owners.push(pid);
    expect(processesWith(base).map((found) => found.pid)).toEqual([pid]);
    kill(pid, 'SIGKILL');
    await Promise.all(clients.map(({ closed }) => closed));
    expect(existsSync(socketPath(runtime()))).toBe(true);
  }
  expect(new Set(owners).size).toBe(4);
});

test('daemons that are started at once without any courtesy leave one; the others say that it has an owner (I6)', async () => {
  const all = Array.from({ length: 6 }, () => start([]));
  const losers: Ran[] = [];
  for (const { ended } of all) void ended.then((ran) => losers.push(ran));
  await until(() => losers.length === 5);
  await listening();
  expect(losers.map(({ code, out }) => [code, out])).toEqual(Array(5).fill([75, '']));
  expect(losers[0]?.errors).toMatch(/^zerdd: daemon_unavailable: another process .*owns .*nothing was started\.\n$/);
  const zerd = await client({ spawn: 'never' });
  expect(all.map(({ child }) => child.pid)).toContain(zerd.hello.daemon.pid);
  await hangUp(zerd);
});

test('one owner also where two environments share the state and not the runtime folder', async () => {
  const zerd = await client();
  mkdirSync(join(base, 'run2'));
  const other = await start([], { XDG_RUNTIME_DIR: join(base, 'run2') }).ended;
  expect(other.code).toBe(75);
  await hangUp(zerd);
});

test('a daemon that is stopped in its tracks is waited for, and nothing of it is removed (F-28)', async () => {
  const first = await client();
  const { pid } = first.hello.daemon;
  const before = lstatSync(socketPath(runtime())).ino;
  kill(pid, 'SIGSTOP');
  const second = client();
  const third = client();
  for (let i = 0; i < 20; i++) await tick();
  expect(lstatSync(socketPath(runtime())).ino).toBe(before);
  kill(pid, 'SIGCONT');
  expect([(await second).hello.daemon.pid, (await third).hello.daemon.pid]).toEqual([pid, pid]);
  await hangUp(first, await second, await third);
});

test('no TCP socket is opened, neither by the daemon nor by a private one (S-01, S-02)', async () => {
  const daemon = await client();
  await daemon.request('daemon/status', {});
  const [pid] = [daemon.hello.daemon.pid];
  expect([unixSocketsOf(pid) > 0, internetSocketsOf(pid)]).toEqual([true, []]);
  await hangUp(daemon);
  await run('stop');
  const private_ = await client({ spawn: 'private' });
  expect(internetSocketsOf(private_.hello.daemon.pid)).toEqual([]);
  expect(readdirSync(runtime())).not.toContain('zerdd.sock');
  await hangUp(private_);
});

function socketsOf(pid: number): string[] {
  const names = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      return '';
    }
  });
  return names.flatMap((name) => /^socket:\[(\d+)\]$/.exec(name)?.[1] ?? []);
}

function inodesIn(tables: readonly string[]): Set<string> {
  const rows = tables.flatMap((table) => readFileSync(`/proc/net/${table}`, 'utf8').split('\n').slice(1));
  return new Set(rows.flatMap((row) => row.trim().split(/\s+/)));
}

function unixSocketsOf(pid: number): number {
  const known = inodesIn(['unix']);
  return socketsOf(pid).filter((inode) => known.has(inode)).length;
}

function internetSocketsOf(pid: number): string[] {
  const known = inodesIn(
    ['tcp', 'tcp6', 'udp', 'udp6', 'raw', 'raw6'].filter((table) => existsSync(`/proc/net/${table}`)),
  );
  return socketsOf(pid).filter((inode) => known.has(inode));
}

test('everything it makes is closed to others, at umask 000 too (O-04, S-11)', async () => {
  const before = process.umask(0);
  const zerd = await client();
  process.umask(before);
  const open = [runtime(), state()].flatMap((folder) => [folder, ...filesUnder(folder)]).filter(isOpenToOthers);
  expect(open).toEqual([]);
  await hangUp(zerd);
});

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
}

function isOpenToOthers(path: string): boolean {
  return (lstatSync(path).mode & 0o077) !== 0;
}

test('the daemon of a repository that was moved away is stopped under the old path, whose name does nothing to a terminal', async () => {
  const old = join(base, 'old\x1b[2K');
  const shown = join(base, 'old\\x1b[2K');
  mkdirSync(old);
  const zerd = await client({ root: old });
  const { pid } = zerd.hello.daemon;
  await hangUp(zerd);
  renameSync(old, join(base, 'new'));
  expect(await run('status', '--root', old)).toMatchObject({ code: 0, out: expect.stringContaining(`pid ${pid}`) });
  expect(await run('stop', '--root', old)).toMatchObject({ code: 0, out: `${shown}: stopped (pid ${pid})\n` });
  expect(await run('stop', '--root', old)).toMatchObject({ code: 0, out: `${shown}: no daemon runs\n` });
});

test('another user of the same repository cannot connect (S-12, O-08)', async () => {
  if (process.getuid?.() !== 0) return;
  const zerd = await client();
  for (const folder of [base, join(base, 'run')]) chmodSync(folder, 0o755);
  const script = `require('node:net').connect(process.argv[1]).on('error', (e) => console.log(e.code)).on('connect', () => { console.log('in'); process.exit() })`;
  const stranger = spawn(process.execPath, ['-e', script, socketPath(runtime())], {
    uid: 65534,
    gid: 65534,
    env: {},
    cwd: '/',
  });
  const [said] = await once(stranger.stdout, 'data');
  expect(String(said).trim()).toBe('EACCES');
  await hangUp(zerd);
});

test('the daemon holds neither the keys nor the folder of the client that started it', async () => {
  const secret = { ANTHROPIC_API_KEY: 'sk-secret-1', NODE_OPTIONS: '--no-warnings' };
  const zerd = await client({ env: { ...env, ...secret } });
  const { pid } = zerd.hello.daemon;
  expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toMatch(/sk-secret|NODE_OPTIONS/);
  expect(readlinkSync(`/proc/${pid}/cwd`)).toBe('/');
  await zerd.request('config/read', {});
  await hangUp(zerd);
  await run('stop');
  expect(readFileSync(join(state(), 'zerdd.log'), 'utf8')).not.toContain('sk-secret');
});

test('a file that whoever started the daemon had open is not held by it: a lock taken with `flock 200` comes free', async () => {
  const lock = openSync(join(base, 'lock'), 'w');
  const passed = Array.from({ length: 200 }, () => 'ignore' as const);
  const child = spawn(process.execPath, [zerdd.path], { cwd: root, env, stdio: [...passed, lock] });
  closeSync(lock);
  await listening();
  expect(filesOf(child.pid)).not.toContain(join(base, 'lock'));
  const zerd = await client({ spawn: 'never' });
  await zerd.request('config/read', {});
  await hangUp(zerd);
  expect((await run('stop')).code).toBe(0);
});

test('O-05, O-10: a home with spaces behind a link, no runtime folder, and two repositories that differ in case alone', async () => {
  mkdirSync(join(base, 'Hôme of ours'));
  symlinkSync(join(base, 'Hôme of ours'), join(base, 'link'));
  env = { HOME: join(base, 'link'), PATH: env.PATH ?? '' };
  const found: [pid: number, root: string][] = [];
  for (const name of ['Répo one', 'répo one']) {
    root = join(base, name);
    mkdirSync(root);
    const zerd = await client();
    const again = await client({ spawn: 'never' });
    expect(again.hello.daemon.pid).toBe(zerd.hello.daemon.pid);
    expect(realpathSync(socketPath(runtime()))).toContain(join(base, 'Hôme of ours/.local/state/zerd/run'));
    found.push([zerd.hello.daemon.pid, zerd.hello.root]);
    await hangUp(zerd, again);
  }
  const [one, other] = found;
  expect([one?.[1], other?.[1]]).toEqual([join(base, 'Répo one'), join(base, 'répo one')]);
  expect(one?.[0]).not.toBe(other?.[0]);
});

test('asked to end by a signal it leaves nothing but its lock file', async () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const { child, ended } = start([]);
    await listening();
    child.kill(signal);
    expect(await ended).toEqual({ code: 0, out: '', errors: '' });
    expect(readdirSync(runtime())).toEqual(['zerdd.lock']);
  }
});

test('it ends when nobody has needed it for as long as it was told', async () => {
  const { ended } = start(['--idle', '0.3']);
  expect(await ended).toMatchObject({ code: 0, out: '' });
  expect(readFileSync(join(state(), 'zerdd.log'), 'utf8')).toContain('"why":"idle for 0 s"');
});

test('a private daemon takes the same lock, and ends with its client', async () => {
  const zerd = await client({ spawn: 'private' });
  const { pid } = zerd.hello.daemon;
  expect((await run()).code).toBe(75);
  await expect(client({ spawn: 'never' })).rejects.toMatchObject({ code: 'daemon_unavailable' });
  await hangUp(zerd);
  expect(processesWith(base)).toEqual([]);
  const next = await client();
  expect(next.hello.daemon.pid).not.toBe(pid);
  await hangUp(next);
});

test('beside a daemon a private one is refused, with what to do', async () => {
  const zerd = await client();
  const message = `A daemon (pid ${zerd.hello.daemon.pid}) owns ${root}, so no private one was started. Run without --no-daemon, or end it with \`zerdd stop\`.`;
  await expect(client({ spawn: 'private' })).rejects.toMatchObject({ code: 'daemon_unavailable', message });
  await hangUp(zerd);
});

test('status, list and stop say what they find', async () => {
  expect(await run('status')).toEqual({ code: 1, out: '', errors: `zerdd: no daemon runs for ${root}\n` });
  expect(await run('stop')).toEqual({ code: 0, out: `${root}: no daemon runs\n`, errors: '' });
  expect((await run('list')).out).not.toContain(base);
  const zerd = await client();
  const { pid } = zerd.hello.daemon;
  const status = await run('status', '--root', root);
  expect([status.code, status.out.split('\n')[0], status.out.includes(`pid ${pid}`)]).toEqual([0, root, true]);
  expect((await run('list')).out).toMatch(new RegExp(`^${root}  pid ${pid}, up \\d+ s, 1 client, 0 turns$`, 'm'));
  await hangUp(zerd);
  expect(await run('stop')).toEqual({ code: 0, out: `${root}: stopped (pid ${pid})\n`, errors: '' });
  expect(processesWith(base)).toEqual([]);
});

test('a daemon that does not answer is ended by --force alone, and the next one takes over', async () => {
  const zerd = await client();
  const { pid } = zerd.hello.daemon;
  kill(pid, 'SIGSTOP');
  const polite = await run('stop');
  expect([polite.code, polite.errors]).toEqual([1, expect.stringContaining('has not answered for 3 s')]);
  expect((await run('stop', '--force')).out).toBe(`${root}: killed: it did not answer\n`);
  await zerd.closed;
  const next = await client();
  expect(next.hello.daemon.pid).not.toBe(pid);
  await hangUp(next);
});

test('a command line that makes no sense is refused', async () => {
  for (const args of [
    ['burn'],
    ['--burn'],
    ['--idle', 'soon'],
    ['--idle', '0x10'],
    ['--idle', ''],
    ['status', 'now'],
  ]) {
    expect(await run(...args)).toMatchObject({ code: 2, out: '', errors: expect.stringContaining('See zerdd --help') });
  }
  const file = join(base, 'file');
  writeFileSync(file, '');
  for (const args of [
    ['--root', join(base, 'none')],
    ['--root', file],
    ['install', '--repo', file],
  ])
    expect(await run(...args)).toMatchObject({ code: 1, errors: expect.stringContaining('folder_missing') });
});

test('zerdd check says whether the installation can serve, and opens nothing', async () => {
  expect(await run('check')).toEqual({ code: 0, out: '', errors: '' });
  expect([existsSync(state()), existsSync(runtime())]).toEqual([false, false]);
});

test('a daemon that cannot start tells the client why, with the code of the table', async () => {
  mkdirSync(state(), { recursive: true });
  mkdirSync(join(state(), 'zerdd.log'));
  await expect(client()).rejects.toMatchObject({
    code: 'daemon_unavailable',
    message: expect.stringContaining('EISDIR'),
  });
  rmSync(join(state(), 'zerdd.log'), { recursive: true });
  await hangUp(await client());
});
