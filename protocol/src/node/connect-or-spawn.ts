/**
 * Gets a client its daemon: probe, claim, probe again, spawn, poll. Invariant: nothing of a daemon is ever removed from
 * here, however silent it is; who owns the repository is decided by the daemons' own lock alone.
 */
import { join } from 'node:path';
import { isZerdError, ZerdError } from '../common/errors.ts';
import { askForHandover, type Hello, openClient, type ZerdClient } from './client.ts';
import { type Clock, systemClock } from './clock.ts';
import { forgetFailedStarts, heldBack, noteFailedStart } from './failed-starts.ts';
import { inFolder } from './folder-failure.ts';
import { type Env, realFolder, registrationPath, runtimeFolder, socketPath } from './paths.ts';
import { makePrivateFolder } from './private-folder.ts';
import { probe } from './probe.ts';
import { readRegistration } from './registration.ts';
import { type SpawnClaim, takeSpawnClaim } from './spawn-claim.ts';
import type { StartedDaemon } from './start-daemon.ts';
import { goBack, type Predecessor, predecessor, type Successor, takesOver, whyNot } from './take-over.ts';

export interface ConnectOptions {
  /** The repository's root: see `repositoryRoot`. */
  readonly root: string;
  readonly env: Env;
  readonly client: { readonly name: string; readonly version: string };
  /** The file that runs zerdd. */
  readonly zerddPath: string;
  /** `daemon` (default): connect or start one. `private`: a child for this client alone. `never`: only connect. */
  readonly spawn?: 'daemon' | 'private' | 'never';
  readonly clock?: Clock;
  /** What this build can speak; absent: the usual. */
  readonly protocol?: { readonly min: number; readonly max: number };
  /** Told why an older daemon is spoken to instead of a new one. */
  readonly onOlder?: (why: string) => void;
  /** Told when a daemon is being started. */
  readonly onStart?: () => void;
}

/** How long a daemon may take to start, and to answer the first request. */
const startDeadlineMs = 30_000;
const helloDeadlineMs = 30_000;
const pollMs = 50;
/** After a lost start another one is tried, in case the winner died. */
const restartMs = 500;
/** How long a private start waits for the previous owner to end. */
const privatePatienceMs = 5_000;

interface Reach {
  readonly options: ConnectOptions;
  readonly root: string;
  readonly runtime: string;
  readonly clock: Clock;
  readonly hello: Hello;
  /** A daemon that shares no protocol version has said that it ends for us: until then it still answers. */
  makesRoom: boolean;
}

export async function connectOrSpawn(options: ConnectOptions): Promise<ZerdClient> {
  const { env, client, clock = systemClock } = options;
  const root = realFolder(options.root);
  const runtime = runtimeFolder(root, env);
  const { protocol } = options;
  const hello: Hello = {
    client,
    env: defined(env),
    clock,
    deadlineMs: helloDeadlineMs,
    ...(protocol === undefined ? {} : { protocol }),
  };
  const reach: Reach = { options, root, runtime, clock, hello, makesRoom: false };
  try {
    return await ways[options.spawn ?? 'daemon'](reach);
  } catch (error) {
    throw isZerdError(error) ? error : new ZerdError('daemon_unavailable', `No daemon could be reached: ${error}`);
  }
}

const ways = { daemon: connectOrStart, private: connectPrivate, never: connectOnly };

async function connectOnly(reach: Reach): Promise<ZerdClient> {
  const deadline = reach.clock.now() + startDeadlineMs;
  for (;;) {
    const found = await tryConnect(reach);
    if (typeof found === 'object') return found;
    if (found === 'absent') throw new ZerdError('daemon_unavailable', `No daemon runs for ${reach.root}.`);
    if (reach.clock.now() > deadline) throw unreachable(reach);
    await reach.clock.sleep(pollMs);
  }
}

async function connectOrStart(reach: Reach): Promise<ZerdClient> {
  const { clock, runtime, options } = reach;
  const deadline = clock.now() + startDeadlineMs;
  const connected = await tryConnect(reach);
  let before: Predecessor | undefined;
  if (typeof connected === 'object') {
    before = predecessor(successor(reach), connected);
    if (!(await takesOver(successor(reach), connected))) return connected;
    await connected.closed;
  }
  const { anotherOwnerExit, startDaemon } = await starting();
  inFolder('runtime', runtime, () => makePrivateFolder(runtime));
  let claim: SpawnClaim | undefined;
  let daemon: StartedDaemon | undefined;
  let notBefore = 0;
  let begins: Begins = { zerddPath: options.zerddPath };
  try {
    for (;;) {
      claim ??= inFolder('runtime', runtime, () => takeSpawnClaim(join(runtime, 'starting'), clock));
      const found = await tryConnect(reach);
      if (typeof found === 'object') {
        if (daemon && !begins.failure) forgetFailedStarts(failuresFile(reach));
        return found;
      }
      if (daemon?.exit()) {
        if (daemon.exit()?.code === anotherOwnerExit) notBefore = clock.now() + restartMs;
        else begins = afterFailure(reach, begins, before, daemon.failure());
        daemon = undefined;
      }
      if (found === 'absent' && claim && !daemon && clock.now() >= notBefore) {
        const held = begins.failure ? undefined : heldBack(failuresFile(reach), clock.wall());
        if (held) throw held;
        daemon = startDaemon({ ...options, root: reach.root, zerddPath: begins.zerddPath });
        options.onStart?.();
      }
      if (clock.now() > deadline) throw unreachable(reach);
      claim?.renew();
      await clock.sleep(pollMs);
    }
  } finally {
    claim?.release();
  }
}

/** What is started; `failure`: of this release, so that the one before is started again. */
interface Begins {
  readonly zerddPath: string;
  readonly failure?: ZerdError;
}

/** Throws the failure where there is nothing to go back to. */
function afterFailure(reach: Reach, tried: Begins, before: Predecessor | undefined, failure: ZerdError): Begins {
  if (tried.failure) throw tried.failure;
  noteFailedStart(failuresFile(reach), failure, reach.clock.wall());
  if (before === undefined) throw failure;
  goBack(successor(reach), before, failure);
  return { zerddPath: before.program, failure };
}

/** Loaded only when it is needed: nearly always a daemon runs already. */
function starting() {
  return import('./start-daemon.ts');
}

function successor(reach: Reach): Successor {
  const { root, options, clock } = reach;
  const { env, zerddPath, onOlder = () => {} } = options;
  const file = registrationPath(reach.runtime);
  const { version } = options.client;
  return { root, env, zerddPath, clock, version, file, failures: failuresFile(reach), onOlder };
}

/** Each release for itself: what one fails at says nothing of another. */
function failuresFile({ runtime, options }: Reach): string {
  return join(runtime, `failed-starts-${options.client.version.replace(/[^\w.-]/g, '_')}.json`);
}

/** A daemon that closes while it answers is stopping: whoever asks again finds the next one. */
async function tryConnect(reach: Reach): Promise<ZerdClient | 'absent' | 'busy'> {
  const found = await probe(socketPath(reach.runtime));
  if (typeof found === 'string') return found;
  try {
    return await openClient({ readable: found, writable: found }, reach.hello);
  } catch (error) {
    if (isZerdError(error) && (error.code === 'disconnected' || error.code === 'shutting_down')) return 'busy';
    if (!isZerdError(error) || error.code !== 'version_unsupported') throw error;
    reach.makesRoom ||= await makesRoom(reach);
    if (reach.makesRoom) return 'busy';
    throw error;
  }
}

/** Whether a daemon that shares no protocol version is ending for us: only an older one does. One that is gone has. */
async function makesRoom(reach: Reach): Promise<boolean> {
  const { runtime, hello, options } = reach;
  if (options.spawn === 'never') return false;
  const failure = await whyNot(successor(reach));
  if (failure !== undefined) throw failure;
  const socket = await probe(socketPath(runtime));
  return typeof socket === 'string' || (await askForHandover({ readable: socket, writable: socket }, hello));
}

async function connectPrivate(reach: Reach): Promise<ZerdClient> {
  const { clock, options } = reach;
  const { anotherOwnerExit, startPrivateDaemon } = await starting();
  const deadline = clock.now() + privatePatienceMs;
  for (;;) {
    const daemon = startPrivateDaemon({ ...options, root: reach.root });
    options.onStart?.();
    try {
      return await openPrivate(daemon, reach.hello);
    } catch (error) {
      await daemon.exited;
      if (daemon.exit()?.code !== anotherOwnerExit) throw daemon.exit()?.code === 0 ? error : daemon.failure();
    }
    const found = await probe(socketPath(reach.runtime));
    if (typeof found === 'object') found.destroy();
    if (found !== 'absent' || clock.now() > deadline) throw owned(reach);
    await clock.sleep(pollMs);
  }
}

async function openPrivate({ child, exited }: StartedDaemon, hello: Hello): Promise<ZerdClient> {
  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new ZerdError('daemon_unavailable', 'zerdd could not be started.');
  try {
    return await openClient({ readable: stdout, writable: stdin }, hello, exited);
  } catch (error) {
    if (!isZerdError(error) || error.code !== 'disconnected') child.kill();
    throw error;
  }
}

function owned({ root, runtime }: Reach): ZerdError {
  const pid = readRegistration(registrationPath(runtime))?.pid;
  return new ZerdError(
    'daemon_unavailable',
    `A daemon${pid ? ` (pid ${pid})` : ''} owns ${root}, so no private one was started. Run without --no-daemon, or end it with \`zerdd stop\`.`,
  );
}

function unreachable({ root, runtime }: Reach): ZerdError {
  const owner = readRegistration(registrationPath(runtime));
  const who = owner?.endpoint === null ? `a private zerdd (pid ${owner.pid}) may own it` : 'another process may own it';
  return new ZerdError(
    'daemon_unavailable',
    `No daemon for ${root} could be reached within ${startDeadlineMs / 1000} s; ${who}. See \`zerdd list\` and the log in the state folder.`,
  );
}

function defined(env: Env): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
