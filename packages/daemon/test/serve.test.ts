/** The whole daemon in this process: its files, who may come in, and how it is when nobody does. */
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { systemClock } from '@zerd/protocol/node/clock';
import { registrationPath, runtimeFolder, socketPath, stateFolder } from '@zerd/protocol/node/paths';
import { readRegistration } from '@zerd/protocol/node/registration';
import { startGateway } from '@zerd/simulator/gateway/start';
import { scriptPlayer } from '@zerd/simulator/players/script';
import { WebSocket } from 'ws';
import { type ManualClock, manualClock } from '../../../test/support/manual-clock.ts';
import { compose } from '../src/compose.ts';
import { type Daemon, type ServeWish, serve } from '../src/serve.ts';
import { awakeClock } from '../src/watchdog/awake-clock.ts';
import { messageStream } from '../src/web/message-stream.ts';
import { greet } from './server/fake-house.ts';

let base = '';
let root = '';
let env: Record<string, string> = {};
let daemon: Daemon | undefined;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'zv-')));
  root = join(base, 'repo');
  env = {
    HOME: join(base, 'home'),
    XDG_RUNTIME_DIR: join(base, 'run'),
    ZERD_CONFIG_DIR: join(base, 'config'),
    PATH: process.env.PATH ?? '',
  };
  for (const name of ['repo', 'run', 'home', 'config']) mkdirSync(join(base, name), { mode: 0o700 });
});
afterEach(async () => {
  await daemon?.stop('the test is over');
  daemon = undefined;
  rmSync(base, { recursive: true, force: true });
});

const onLinux = process.platform === 'linux' ? test : test.skip;

async function begin(more: Partial<ServeWish> = {}): Promise<Daemon> {
  const overdue = () => {
    throw new Error('stopping took too long');
  };
  const found = await serve({
    root,
    env,
    clock: systemClock,
    beats: systemClock,
    idleMs: undefined,
    compose,
    overdue,
    ...more,
  });
  if (found.kind !== 'daemon') throw new Error('another owner');
  daemon = found;
  return found;
}

const state = () => stateFolder(root, env);
const runtime = () => runtimeFolder(root, env);
const dial = () => {
  const socket = connect(socketPath(runtime()));
  return greet({ readable: socket, writable: socket }, env);
};

test('S-11: with nothing set up the one file of its user lets every kind of client in', async () => {
  await begin({ web: { host: '127.0.0.1', port: 0 } });
  const file = registrationPath(runtime());
  expect(lstatSync(file).mode & 0o777).toBe(0o600);
  const { endpoint, web } = readRegistration(file) ?? {};
  expect(endpoint).toBe(socketPath(runtime()));
  if (web === undefined) throw new Error('not registered');
  const socket = new WebSocket(web.url, { headers: { authorization: `Bearer ${web.token}` } });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const stream = messageStream(socket);
  const byWeb = await greet({ readable: stream, writable: stream });
  const bySocket = await dial();
  for (const zerd of [byWeb, bySocket]) expect((await zerd.request('trust/read', {})).root).toBe(root);
  for (const zerd of [byWeb, bySocket]) {
    zerd.close();
    await zerd.closed;
  }
});

/** What the daemon makes, and what others might have put there before. */
const planted = ['zerd.db', 'zerdd.log', 'zerdd.lock', 'archive', 'jobs', 'notes', 'transcripts', 'index'];

test.each(planted)('S-54: a link in the place of %s is refused or replaced, and never followed', async (name) => {
  const elsewhere = join(base, 'elsewhere');
  mkdirSync(elsewhere, { mode: 0o755 });
  const victim = join(elsewhere, 'victim');
  const isFile = name.includes('.');
  if (isFile) writeFileSync(victim, '', { mode: 0o644 });
  else mkdirSync(victim, { mode: 0o755 });
  mkdirSync(state(), { recursive: true, mode: 0o700 });
  symlinkSync(victim, join(state(), name));
  const looks = () => [lstatSync(victim).mode, isFile ? readFileSync(victim, 'utf8') : readdirSync(victim)];
  const before = looks();
  const begun = await begin().then(
    () => true,
    () => false,
  );
  if (begun) await work();
  expect(looks()).toEqual(before);
});

test('S-54: all that work leaves behind is private, under umask 0 too (O-04)', async () => {
  const before = process.umask(0);
  try {
    await begin();
    await work(() => {
      const files = [state(), runtime()].flatMap((folder) => [folder, ...filesUnder(folder)]);
      const open = files.filter((file) => (lstatSync(file).mode & 0o077) !== 0);
      expect(open).toEqual([]);
      for (const name of ['zerd.db', 'archive', 'jobs', 'notes', 'zerdd.log'])
        expect(files).toEqual(expect.arrayContaining([expect.stringContaining(join(state(), name))]));
    });
  } finally {
    process.umask(before);
  }
});

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
}

test('S-64: no secret of the client, of the repository or of a refusal that quotes the key lies in any file or line', async () => {
  const names = ['ANTHROPIC_API_KEY', 'SIM_KEY', 'ZERD_TOKEN', 'DB_PASSWORD', 'AWS_SECRET_ACCESS_KEY', 'GITHUB_TOKEN'];
  const secrets = Object.fromEntries(names.map((name, n) => [name, `canary-${n}-4711-0815`]));
  mkdirSync(join(root, '.git'));
  writeFileSync(join(root, '.env'), 'PASSWORD=canary-of-a-file');
  writeFileSync(join(root, '.git/config'), '[remote "origin"]\n\turl = https://me:canary-of-git@example.org/a.git\n');
  const status = (message: string) => ({ kind: 'status', status: 401, type: 'authentication_error', message }) as const;
  const gateway = await startGateway({
    player: scriptPlayer([]),
    faults: [{ fault: status(`invalid x-api-key: ${secrets.SIM_KEY}`) }],
  });
  const { house } = await begin();
  try {
    const models = [{ id: 'sim', contextWindow: 200_000, maxOutput: 8_000 }];
    const providers = { sim: { wire: 'anthropic', baseUrl: gateway.origin, apiKeyEnv: 'SIM_KEY', models } };
    writeFileSync(join(base, 'config/config.json'), JSON.stringify({ providers, model: 'sim/sim' }), { mode: 0o600 });
    const socket = connect(socketPath(runtime()));
    const zerd = await greet({ readable: socket, writable: socket }, { ...env, ...secrets });
    const { sessionId } = await zerd.request('session/create', { trust: true });
    const ended = new Promise((resolve) =>
      zerd.onNotice('session/event', ({ event }) => event.kind === 'turn.finished' && resolve(event)),
    );
    await zerd.request('session/subscribe', { sessionId });
    await zerd.request('turn/start', { sessionId, text: 'Go', trust: true, headless: true });
    expect(await ended).toMatchObject({ failure: { message: expect.stringContaining('invalid x-api-key') } });
    // As a defect would, whose message quotes what it met.
    house.log.error('broke', { error: new Error(`no such user: ${secrets.DB_PASSWORD}`) });
    zerd.close();
    await zerd.closed;
  } finally {
    await gateway.close();
  }
  const held = [state(), runtime()].flatMap(filesUnder).filter((file) => lstatSync(file).isFile());
  expect(held.length).toBeGreaterThan(4);
  for (const file of held)
    expect({ file, canary: readFileSync(file, 'latin1').match(/canary.{20}/)?.[0] }).toEqual({ file });
});

test('F-35: a day in which nobody comes leaves nothing: no timer, no line of the log, no memory', async () => {
  const clock = manualClock();
  await begin({ clock, beats: clock });
  const left = () => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return { timers: clock.timers(), log: lstatSync(join(state(), 'zerdd.log')).size, bytes: heapUsed + external };
  };
  for (let warm = 0; warm < 4; warm++) await hour(clock);
  const before = left();
  for (let hours = 0; hours < 24; hours++) await hour(clock);
  const { bytes, ...after } = left();
  expect(after).toEqual({ timers: before.timers, log: before.log });
  expect(bytes - before.bytes).toBeLessThan(1024 * 1024);
});

test('R-09: in an idle hour nothing wakes the daemon but its heartbeat, four times a minute, also behind work', async () => {
  const clock = manualClock();
  const wakes = countWakes(clock);
  const awake = awakeClock(clock);
  await begin({ clock: awake, beats: clock });
  const inAnHour = async () => {
    const before = wakes.count();
    await hour(clock);
    return wakes.count() - before;
  };
  await hour(clock);
  const fresh = await inAnHour();
  await work();
  // The hour in which what ran is put away: the host of commands after five minutes.
  const behind = await inAnHour();
  expect([fresh, behind < 260, await inAnHour()]).toEqual([240, true, 240]);
  awake[Symbol.dispose]();
});

onLinux(
  'R-08: what comes and goes leaves no timer, no open file and no child behind, and its write-ahead log stays small',
  async () => {
    const clock = manualClock();
    await begin({ clock, beats: clock });
    const held = () => ({
      timers: clock.timers(),
      files: readdirSync('/proc/self/fd').length,
      children: readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ').length,
    });
    for (let warm = 0; warm < 2; warm++) await work();
    await hour(clock);
    const before = held();
    for (let more = 0; more < 6; more++) await work();
    await hour(clock);
    // Sockets take a moment to be closed.
    while (held().files > before.files) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(held()).toEqual({ ...before, files: expect.any(Number) });
    expect(lstatSync(join(state(), 'zerd.db-wal')).size).toBeLessThan(64e6);
  },
  120_000,
);

async function hour(clock: ManualClock): Promise<void> {
  for (let minute = 0; minute < 60; minute++) {
    clock.advance(60_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** How often a timer has fired. */
function countWakes(clock: ManualClock): { count(): number } {
  const { setTimer } = clock;
  let count = 0;
  clock.setTimer = (afterMs, fire) =>
    setTimer(afterMs, () => {
      count += 1;
      fire();
    });
  return { count: () => count };
}

/** What nobody holds any more does not count. */
function collect(): void {
  setFlagsFromString('--expose-gc');
  const gc: () => void = runInNewContext('gc');
  gc();
  gc();
}

/** One turn that leaves something in every folder: an archived output, a job, notes; `looks` while it is all there. */
async function work(looks: () => void = () => {}): Promise<void> {
  const gateway = await startGateway({
    player: scriptPlayer([
      { calls: [{ name: 'shell', input: { command: 'seq 1 20000' } }] },
      { calls: [{ name: 'shell', input: { command: 'sleep 60 > /dev/null 2>&1 &' } }] },
      { calls: [{ name: 'notes', input: { goal: 'Ship.' } }] },
      { calls: [{ name: 'write', input: { path: 'a.txt', content: 'a\n' } }] },
    ]),
  });
  try {
    const models = [{ id: 'sim', contextWindow: 200_000, maxOutput: 8_000 }];
    const providers = { sim: { wire: 'anthropic', baseUrl: gateway.origin, apiKey: 'canary-key', models } };
    writeFileSync(join(base, 'config/config.json'), JSON.stringify({ providers, model: 'sim/sim' }), { mode: 0o600 });
    const zerd = await dial();
    const { sessionId } = await zerd.request('session/create', { mode: 'full', trust: true });
    const ended = new Promise((resolve) =>
      zerd.onNotice('session/event', ({ event }) => event.kind === 'turn.finished' && resolve(event)),
    );
    await zerd.request('session/subscribe', { sessionId });
    await zerd.request('turn/start', { sessionId, text: 'Go', trust: true });
    expect(await ended).toMatchObject({ outcome: 'done' });
    looks();
    for (const { jobId, outcome } of (await zerd.request('job/list', {})).jobs)
      if (outcome === undefined) await zerd.request('job/stop', { jobId });
    await zerd.request('session/delete', { sessionId });
    zerd.close();
    await zerd.closed;
  } finally {
    await gateway.close();
  }
}
