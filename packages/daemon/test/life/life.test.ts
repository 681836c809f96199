import { spawn } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { registrationPath, socketPath } from '@zerd/protocol/node/paths';
import { probe } from '@zerd/protocol/node/probe';
import { readRegistration } from '@zerd/protocol/node/registration';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { createEnding } from '../../src/life/ending.ts';
import { openEndpoint } from '../../src/life/endpoint.ts';
import { type HeartbeatOptions, startHeartbeat } from '../../src/life/heartbeat.ts';
import { takeOwnerLocks } from '../../src/life/owner-lock.ts';
import { register } from '../../src/life/register.ts';
import { createTeardown } from '../../src/life/teardown.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'zl-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = (name = 'zerdd.lock') => join(folder, name);

test('a lock has one holder until it is released', () => {
  const first = takeOwnerLocks([file()]);
  expect(takeOwnerLocks([file()])).toBeUndefined();
  expect(first?.stillOurs()).toBe(true);
  first?.release();
  const next = takeOwnerLocks([file()]);
  expect(next).toBeDefined();
  next?.release();
});

test('of several locks all are taken or none', () => {
  const holder = takeOwnerLocks([file('b')]);
  expect(takeOwnerLocks([file('a'), file('b')])).toBeUndefined();
  const free = takeOwnerLocks([file('a')]);
  expect(free).toBeDefined();
  for (const lock of [holder, free]) lock?.release();
});

test('the lock file is private, and no journal lies beside it', () => {
  const lock = takeOwnerLocks([file()]);
  expect([statSync(file()).mode & 0o777, readdirSync(folder)]).toEqual([0o600, ['zerdd.lock']]);
  lock?.release();
  expect(readdirSync(folder)).toEqual(['zerdd.lock']);
});

test('a lock file that was removed or replaced is noticed', () => {
  const lock = takeOwnerLocks([file()]);
  rmSync(file());
  expect(lock?.stillOurs()).toBe(false);
  writeFileSync(file(), '');
  expect(lock?.stillOurs()).toBe(false);
  lock?.release();
});

test('a lock that cannot be taken for another reason is a refusal, not another owner', () => {
  writeFileSync(file(), 'this is no database, and long enough to be seen as none'.repeat(20));
  expect(() => takeOwnerLocks([file()])).toThrow(
    expect.objectContaining({
      code: 'daemon_unavailable',
      message: `${file()} cannot be locked: something was written into it, and zerd never writes there. No daemon was started, and the file was left as it is. Nothing of your sessions is in it: move it away when \`zerdd list\` names no daemon of this repository, and try again.`,
    }),
  );
  expect(() => takeOwnerLocks([file('none/zerdd.lock')])).toThrow(expect.objectContaining({ code: 'store_unsafe' }));
});

test('the kernel frees the lock of a process that is killed (I6)', async () => {
  const holder = holdElsewhere(file());
  await holder.held;
  expect(takeOwnerLocks([file()])).toBeUndefined();
  holder.child.kill('SIGKILL');
  await holder.gone;
  const lock = takeOwnerLocks([file()]);
  expect(lock).toBeDefined();
  lock?.release();
});

function holdElsewhere(path: string) {
  const script = `const D = require('better-sqlite3'); const d = new D(${JSON.stringify(path)}); d.exec('BEGIN EXCLUSIVE'); console.log('held'); setInterval(() => d, 1e6)`;
  const child = spawn(process.execPath, ['-e', script], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {},
  });
  const held = new Promise((resolve) => child.stdout.once('data', resolve));
  const gone = new Promise((resolve) => child.once('exit', resolve));
  return { child, held, gone };
}

test('the socket stands under its name with mode 0600 whatever the umask, and is gone after the end', async () => {
  const before = process.umask(0);
  const endpoint = await openEndpoint(folder, (socket) => socket.destroy());
  process.umask(before);
  const path = socketPath(folder);
  expect([readdirSync(folder), lstatSync(path).mode & 0o777]).toEqual([['zerdd.sock'], 0o600]);
  await endpoint.close();
  expect(readdirSync(folder)).toEqual([]);
});

test('the socket of a killed predecessor is taken over (F-27)', async () => {
  await leaveStaleSockets(['zerdd.sock', 'z123.sock']);
  const path = socketPath(folder);
  expect(await probe(path)).toBe('absent');
  const endpoint = await openEndpoint(folder, (socket) => socket.end('new'));
  expect(readdirSync(folder)).toEqual(['zerdd.sock']);
  expect(await firstWord(path)).toBe('new');
  await endpoint.close();
});

async function leaveStaleSockets(names: readonly string[]): Promise<void> {
  const script = `const n = require('node:net'); let left = ${names.length}; for (const f of ${JSON.stringify(names)}) n.createServer().listen(f, () => --left || process.kill(process.pid, 'SIGKILL'))`;
  const child = spawn(process.execPath, ['-e', script], { cwd: folder, env: {}, stdio: 'inherit' });
  await new Promise((resolve) => child.once('exit', resolve));
  expect(readdirSync(folder).sort()).toEqual([...names].sort());
}

function firstWord(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    connect({ path })
      .once('error', reject)
      .once('data', (data) => resolve(String(data)));
  });
}

test('an old daemon that ends never unlinks the socket and the registration of the new one (F-29)', async () => {
  const old = await openEndpoint(folder, (socket) => socket.end('old'));
  const oldEntry = register(folder, entry(1));
  const fresh = await openEndpoint(folder, (socket) => socket.end('new'));
  const freshEntry = register(folder, entry(2));
  expect([old.file.stillOurs(), fresh.file.stillOurs()]).toEqual([false, true]);
  await old.close();
  oldEntry.remove();
  expect(await firstWord(socketPath(folder))).toBe('new');
  expect(readRegistration(registrationPath(folder))).toEqual(entry(2));
  freshEntry.remove();
  await fresh.close();
  expect(readdirSync(folder)).toEqual([]);
});

const entry = (pid: number) => ({
  protocol: { min: 1, max: 1 },
  version: '0',
  endpoint: socketPath(folder),
  root: '/r',
  pid,
  startedAt: 5,
});

test('the registration is whole, private and replaces a link without following it', () => {
  writeFileSync(file('target'), 'kept');
  symlinkSync(file('target'), registrationPath(folder));
  register(folder, entry(7));
  expect(readFileSync(file('target'), 'utf8')).toBe('kept');
  expect(lstatSync(registrationPath(folder)).mode & 0o777).toBe(0o600);
  expect(readRegistration(registrationPath(folder))).toEqual(entry(7));
});

test('a registration that is absent, broken or of another shape is none', () => {
  const read = (text: string) => {
    writeFileSync(file('x'), text);
    return readRegistration(file('x'));
  };
  const found = [readRegistration(file('none')), read('{'), read('7'), read('{"pid":"1","root":"/r","endpoint":null}')];
  expect(found).toEqual([undefined, undefined, undefined, undefined]);
});

function beating(options: Partial<HeartbeatOptions> = {}) {
  const clock = manualClock();
  const stops: string[] = [];
  const state = { needed: false, working: false, ours: true };
  const beat = startHeartbeat({
    clock,
    idleMs: 600_000,
    needed: () => state.needed,
    working: () => state.working,
    ours: () => state.ours,
    stop: (why) => {
      stops.push(why);
      beat[Symbol.dispose]();
    },
    ...options,
  });
  return { clock, stops, state, beat };
}

test('a daemon that nobody needs ends after ten minutes', () => {
  const { clock, stops } = beating();
  clock.advance(599_999);
  expect(stops).toEqual([]);
  clock.advance(1);
  expect([stops, clock.timers()]).toEqual([['idle for 600 s'], 0]);
});

test('a client, a turn or an open approval keeps it, and the ten minutes begin anew', () => {
  const { clock, stops, state } = beating();
  clock.advance(590_000);
  state.needed = true;
  clock.advance(3_600_000);
  state.needed = false;
  clock.advance(580_000);
  expect(stops).toEqual([]);
  clock.advance(20_000);
  expect(stops).toEqual(['idle for 600 s']);
});

test('F-14: the time in which its process stood still is no idle time', () => {
  const { clock, stops } = beating();
  clock.stall(86_400_000);
  clock.advance(580_000);
  expect(stops).toEqual([]);
  clock.advance(20_000);
  expect(stops).toEqual(['idle for 600 s']);
});

test('without a limit it stays', () => {
  const { clock, stops, beat } = beating({ idleMs: undefined });
  clock.advance(86_400_000);
  expect(stops).toEqual([]);
  beat[Symbol.dispose]();
  expect(clock.timers()).toBe(0);
});

test('a daemon whose files are gone ends, but not while a turn runs', () => {
  const { clock, stops, state } = beating();
  Object.assign(state, { needed: true, working: true, ours: false });
  clock.advance(60_000);
  expect(stops).toEqual([]);
  state.working = false;
  clock.advance(15_000);
  expect(stops).toEqual(['its files were removed or replaced']);
});

test('stopping undoes everything in reverse, once, and over every failure', async () => {
  const trace: string[] = [];
  const failures: unknown[] = [];
  const log = { ...silentLog, error: (_: string, facts?: object) => void failures.push(facts) };
  const teardown = createTeardown();
  const clock = manualClock();
  for (const name of ['lock', 'store', 'socket']) {
    teardown.add(name, async () => {
      trace.push(name);
      if (name === 'store') throw new Error('disk full');
    });
  }
  const { stop, stopped } = createEnding({ teardown, clock, log, overdue: () => trace.push('overdue') });
  await Promise.all([stop('a'), stop('b'), stopped]);
  expect(trace).toEqual(['socket', 'store', 'lock']);
  expect(failures).toEqual([{ step: 'store', error: new Error('disk full') }]);
  expect(clock.timers()).toBe(0);
});

test('a stop that hangs is overdue after 15 seconds', () => {
  const trace: string[] = [];
  const teardown = createTeardown();
  teardown.add('turns', () => new Promise(() => {}));
  const clock = manualClock();
  const { stop } = createEnding({ teardown, clock, log: silentLog, overdue: () => trace.push('overdue') });
  void stop('why');
  clock.advance(14_999);
  expect(trace).toEqual([]);
  clock.advance(1);
  expect(trace).toEqual(['overdue']);
});

test('a socket that another put in its place is seen as not its own', async () => {
  const endpoint = await openEndpoint(folder, (socket) => socket.destroy());
  const path = socketPath(folder);
  renameSync(path, file('moved'));
  expect(endpoint.file.stillOurs()).toBe(false);
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(path, resolve));
  expect(endpoint.file.stillOurs()).toBe(false);
  await endpoint.close();
  expect(existsSync(path)).toBe(true);
  await new Promise((resolve) => other.close(resolve));
});
