/**
 * One daemon's life: lock, house, endpoint, registration; and the way back. Invariant: nothing of the repository's state
 * is opened before the lock is held, and the lock is freed last.
 */
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { protocolRange, zerdVersion } from '@zerd/protocol/common/version';
import type { Clock } from '@zerd/protocol/node/clock';
import { inFolder } from '@zerd/protocol/node/folder-failure';
import type { Streams } from '@zerd/protocol/node/link';
import { type Env, registrationPath, runtimeFolder, stateFolder } from '@zerd/protocol/node/paths';
import { makePrivateFolder } from '@zerd/protocol/node/private-folder';
import { readRegistration } from '@zerd/protocol/node/registration';
import { openLog, silentLog } from './base/log.ts';
import { createEnding, type Ending } from './life/ending.ts';
import { openEndpoint } from './life/endpoint.ts';
import { startHeartbeat } from './life/heartbeat.ts';
import { type OwnerLock, takeOwnerLocks } from './life/owner-lock.ts';
import { register } from './life/register.ts';
import { createTeardown, type Teardown } from './life/teardown.ts';
import type { House } from './server/house.ts';
import { createServer, type Server } from './server/server.ts';
import type { WebAddress } from './web/address.ts';
import type { WebDoor } from './web/open-web-door.ts';

export interface ServeWish {
  /** The repository: a real path. */
  readonly root: string;
  readonly env: Env;
  readonly clock: Clock;
  /** For the beats of an idle daemon, which are no wait that somebody's deadline hangs on. */
  readonly beats: Clock;
  /** Told at each beat whether a turn runs: what is left to do when none does. */
  readonly rest?: (working: boolean) => void;
  /** Undefined: it never ends for idleness. */
  readonly idleMs: number | undefined;
  /** The one client of a private daemon, which has no socket and ends with that client. */
  readonly only?: Streams;
  /** Where clients may come by a WebSocket too. */
  readonly web?: WebAddress;
  readonly compose: Compose;
  /** Called when stopping takes longer than it may: the process is to end as it is. */
  readonly overdue: () => void;
}

/** What the house is built on. */
export type ComposeBase = Omit<
  House,
  'store' | 'runner' | 'jobs' | 'trust' | 'grants' | 'config' | 'auth' | 'search' | 'mcp' | 'checks'
> & {
  readonly env: Env;
  /** For what is put away when nobody needs it: see `ServeWish`. */
  readonly beats: Clock;
};

/** Opens the rooms. */
export type Compose = (base: ComposeBase) => Promise<House>;

export interface Daemon extends Ending {
  readonly kind: 'daemon';
  readonly house: House;
}

export interface AnotherOwner {
  readonly kind: 'another-owner';
  /** As far as it is known. */
  readonly pid: number | undefined;
}

export async function serve(wish: ServeWish): Promise<Daemon | AnotherOwner> {
  const runtime = runtimeFolder(wish.root, wish.env);
  const state = stateFolder(wish.root, wish.env);
  inFolder('runtime', runtime, () => makePrivateFolder(runtime));
  inFolder('state', state, () => makePrivateFolder(state));
  // The socket belongs to the runtime folder and the log to the state folder: environments may pair them differently.
  const lock = takeOwnerLocks([join(runtime, 'zerdd.lock'), join(state, 'zerdd.lock')]);
  if (!lock) return { kind: 'another-owner', pid: readRegistration(registrationPath(runtime))?.pid };
  const teardown = createTeardown();
  teardown.add('lock', lock.release);
  try {
    return await open(wish, { runtime, state, lock, teardown });
  } catch (error) {
    await teardown.run(silentLog);
    throw error;
  }
}

interface Ground {
  readonly runtime: string;
  readonly state: string;
  readonly lock: OwnerLock;
  readonly teardown: Teardown;
}

async function open(wish: ServeWish, { runtime, state, lock, teardown }: Ground): Promise<Daemon> {
  const { root, env, clock, beats, rest, only, overdue } = wish;
  const logFile = join(state, 'zerdd.log');
  const log = openLog(logFile);
  const startedAt = Math.round(clock.wall());
  const { stop, stopped } = createEnding({ teardown, clock, log, overdue });
  let yielding = false;
  const yieldTo = (version: string) => {
    yielding = true;
    log.info('ends when it is idle: a newer release waits', { version });
  };
  // Turns outlive a daemon that ends by itself or by a signal. Whom the user ends, or whose only client left, ends them.
  let ends: 'interrupt' | 'handOver' = 'handOver';
  // The answer to whoever asked goes out first.
  const shutdown = (why: string) => {
    ends = 'interrupt';
    setImmediate(() => void stop(why));
  };
  const house = await wish.compose({
    root,
    env,
    stateFolder: state,
    logFile,
    startedAt,
    clock,
    beats,
    log,
    yieldTo,
    shutdown,
  });
  teardown.add('store', () => house.store.close());
  teardown.add('search', () => house.search.close());
  teardown.add('jobs', () => house.jobs.close());
  teardown.add('outside tools', () => house.mcp.close());
  teardown.add('sign-ins', () => house.auth.credentials.close());
  await house.runner.recover();
  const server = createServer(house);
  const door = await openDoor(house, server, runtime, { teardown, hasSocket: !only, web: wish.web });
  teardown.add('connections', () => server.close());
  teardown.add('turns', () => house.runner.stop(only ? 'interrupt' : ends));
  teardown.add('requests', () => server.refuse());
  const ours = () => lock.stillOurs() && door.stillOurs();
  const heartbeat = startHeartbeat({
    clock: beats,
    ...(rest && { rest }),
    ...need(house, server),
    ours,
    yielding: () => yielding,
    stop: (why) => void stop(why),
    idleMs: only ? undefined : wish.idleMs,
  });
  teardown.add('heartbeat', () => heartbeat[Symbol.dispose]());
  if (only) void server.attach(only).then(() => stop('its client has gone'));
  return { kind: 'daemon', house, stop, stopped };
}

/** The socket and the registration that points to it. */
async function openDoor(
  { root, startedAt, log }: House,
  server: Server,
  runtime: string,
  {
    teardown,
    hasSocket,
    web,
  }: { readonly teardown: Teardown; readonly hasSocket: boolean; readonly web: WebAddress | undefined },
): Promise<{ stillOurs(): boolean }> {
  const serveSocket = (socket: Socket) => void server.attach({ readable: socket, writable: socket });
  const endpoint = hasSocket ? await openEndpoint(runtime, serveSocket) : undefined;
  if (endpoint) teardown.add('endpoint', endpoint.close);
  const webDoor = web && (await openWeb(web, server));
  if (webDoor) teardown.add('web', webDoor.close);
  const program = process.argv[1] ?? '';
  const about = { protocol: protocolRange, version: zerdVersion, root, pid: process.pid, program, startedAt };
  const registration = {
    ...about,
    endpoint: endpoint?.file.path ?? null,
    ...(webDoor ? { web: { url: webDoor.url, token: webDoor.token } } : {}),
  };
  teardown.add('registration', register(runtime, registration).remove);
  log.info('started', { version: zerdVersion, root, endpoint: registration.endpoint, web: webDoor?.url });
  return { stillOurs: () => endpoint?.file.stillOurs() ?? true };
}

/** Loaded only when it is wanted: nearly no daemon has one. */
async function openWeb(web: WebAddress, server: Server): Promise<WebDoor> {
  const { openWebDoor } = await import('./web/open-web-door.ts');
  return openWebDoor(web, (streams) => void server.attach(streams));
}

function need({ runner, store, jobs }: House, server: Server): { needed(): boolean; working(): boolean } {
  const working = () => runner.runningTurns() > 0;
  const asking = () => store.sessions().some(({ state }) => state === 'waiting');
  return { working, needed: () => server.clients() > 0 || working() || asking() || jobs.running() > 0 };
}
