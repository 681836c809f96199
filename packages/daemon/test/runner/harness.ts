/** A runner with the real store, tools and wires, the gateway in process, and a workspace of its own in a temporary folder. */
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openGrants } from '@zerd/daemon/permissions/grants';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { SessionRow } from '@zerd/protocol/common/methods';
import { type Clock, systemClock } from '@zerd/protocol/node/clock';
import type { FaultRule } from '@zerd/simulator/faults/fault';
import type { Models } from '@zerd/simulator/gateway/models';
import { type Gateway, startGateway } from '@zerd/simulator/gateway/start';
import type { Player, Step } from '@zerd/simulator/players/player';
import { scriptPlayer } from '@zerd/simulator/players/script';
import type { Jobs } from '../../src/base/job-ports.ts';
import { silentLog } from '../../src/base/log.ts';
import type { McpPort } from '../../src/base/mcp-ports.ts';
import type { Store } from '../../src/base/ports.ts';
import { loadConfig } from '../../src/config/load.ts';
import { createRunner } from '../../src/runner/create-runner.ts';
import { createProbedWindows, type ProbedWindows } from '../../src/runner/probed-windows.ts';
import type { Runner } from '../../src/runner/runner.ts';
import { createRipgrepSearch } from '../../src/search/ripgrep.ts';
import { openStore } from '../../src/store/open.ts';
import { createFileWatches } from '../../src/watch/chokidar.ts';
import { testJobs } from '../support/test-jobs.ts';

export interface Scene {
  readonly runner: Runner;
  /** What the runner works with. */
  readonly store: Store;
  readonly gateway: Gateway;
  readonly windows: ProbedWindows;
  readonly jobs: Jobs;
  readonly root: string;
  readonly folder: string;
  readonly env: Record<string, string>;
  events(sessionId: SessionId): readonly LoggedEvent[];
  rows(): readonly SessionRow[];
  /** Settles when an event of this kind is committed, also an earlier one. */
  until<K extends SessionEvent['kind']>(sessionId: SessionId, kind: K): Promise<Extract<SessionEvent, { kind: K }>>;
  /** Starts a session and a turn; `end` settles with its last event. */
  say(
    text: string,
    more?: Partial<Parameters<Runner['startTurn']>[0]>,
  ): Promise<{ sessionId: SessionId; end: Promise<SessionEvent> }>;
  /**
   * The same folder under a new store and runner, as after a crash: of the old ones nothing is committed any more. `clock`
   * counts from then on. Then a client connects that has the key, unless `client` is false; `apiKey` is in the settings.
   */
  restart(clock?: Clock, more?: { readonly client?: boolean; readonly apiKey?: string }): Promise<void>;
  close(): Promise<void>;
}

export interface SceneWish {
  readonly steps?: readonly Step[];
  readonly faults?: readonly FaultRule[];
  readonly wire?: 'anthropic' | 'responses' | 'chat';
  readonly files?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly config?: Readonly<Record<string, unknown>>;
  /** Looks at each request, in place of the steps. */
  readonly player?: Player;
  /** Tokens that the gateway takes at most, and what the configuration says of it. Default: 200,000 both. */
  readonly window?: number;
  readonly contextWindow?: number;
  /** What the gateway offers besides. */
  readonly gatewayModels?: Models;
  /** Of the model, in USD per million tokens. */
  readonly price?: Readonly<Record<'input' | 'output' | 'cacheRead' | 'cacheWrite', number>>;
  /** What the configuration says of each model besides. */
  readonly modelFacts?: Readonly<Record<string, unknown>>;
  /** How long the gateway keeps cache entries, by `clock`; absent: for ever. */
  readonly cacheTtlMs?: number;
  /** Outside tools. */
  readonly mcp?: McpPort;
  /** Stands between the runner and the store. */
  readonly throughStore?: (store: Store) => Store;
}

export async function openScene(wish: SceneWish = {}): Promise<Scene> {
  const { steps = [], faults = [], wire = 'anthropic', files = {}, clock: firstClock = systemClock } = wish;
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'zerd-runner-')));
  const root = join(folder, 'work');
  mkdirSync(root);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  const lifetime =
    wish.cacheTtlMs === undefined ? {} : { cacheTtlMs: wish.cacheTtlMs, clock: { now: firstClock.wall } };
  const { player = scriptPlayer(steps), window = 200_000, contextWindow = window } = wish;
  const usual = { sim: { window, maxOutput: 64_000 }, small: { window: 30_000, maxOutput: 64_000 } };
  const models = { ...usual, ...wish.gatewayModels };
  const gateway = await startGateway({ player, faults, models, ...lifetime });
  writeConfig(folder, gateway.origin, wire, { ...wish, contextWindow });
  // On trust for one run no server is started.
  if (wish.mcp !== undefined) writeFileSync(join(folder, 'trusted'), '');
  const env = { PATH: process.env.PATH ?? '', SIM_KEY: 'canary-key-4711', ZERD_TOKEN: 'canary-token' };

  async function open(clock: Clock) {
    const opened = await openStore({ folder: join(folder, 'state'), clock });
    const { store, bury, die } = mortal(wish.throughStore?.(opened) ?? opened);
    const readConfig = () => loadConfig({ env: { ZERD_CONFIG_DIR: folder } });
    const windows = createProbedWindows(clock);
    const search = createRipgrepSearch(root, { clock });
    const jobs = testJobs(folder, store, clock);
    const runner = createRunner({
      root,
      store,
      env: { PATH: env.PATH },
      trust: { trusted: () => existsSync(join(folder, 'trusted')) },
      grants: openGrants({ stateFolder: folder, root, configured: () => readConfig().commands }),
      readConfig,
      clock,
      log: silentLog,
      search,
      jobs,
      openFileWatch: createFileWatches(root),
      windows,
      ...(wish.mcp && { mcp: wish.mcp }),
    });
    await runner.recover();
    return { store, runner, windows, jobs, bury, die };
  }
  let { store, runner, windows, jobs, bury, die } = await open(firstClock);
  const burials: (() => Promise<unknown>)[] = [];

  function until(sessionId: SessionId, kind: SessionEvent['kind']): Promise<SessionEvent> {
    return new Promise((resolve) => {
      const found = store.read(sessionId).findLast(({ event }) => event.kind === kind);
      if (found) return resolve(found.event);
      const watch = store.onCommit((id, events) => {
        const hit = id === sessionId ? events.find(({ event }) => event.kind === kind) : undefined;
        if (!hit) return;
        watch[Symbol.dispose]();
        resolve(hit.event);
      });
    });
  }

  return {
    get runner() {
      return runner;
    },
    get store() {
      return store;
    },
    get jobs() {
      return jobs;
    },
    get windows() {
      return windows;
    },
    gateway,
    root,
    folder,
    env,
    events: (sessionId) => store.read(sessionId),
    rows: () => store.sessions(),
    until: until as Scene['until'],
    async say(text, more = {}) {
      const sessionId = more.sessionId ?? (await runner.createSession({ env, mode: 'full', trust: true })).sessionId;
      await runner.startTurn({ env, text, trust: true, ...more, sessionId });
      return { sessionId, end: ended(until, sessionId) };
    },
    async restart(clock = firstClock, { client = true, apiKey } = {}) {
      writeConfig(folder, gateway.origin, wire, { ...wish, contextWindow }, apiKey);
      die();
      const left = { runner, bury };
      burials.push(() => {
        left.bury();
        return left.runner.stop('handOver');
      });
      await jobs.close();
      await store.close();
      ({ store, runner, windows, jobs, bury, die } = await open(clock));
      if (client) runner.offerEnv(env);
    },
    async close() {
      for (const burial of burials) await burial();
      await runner.stop();
      await jobs.close();
      await store.close();
      await gateway.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A store that can die: from then on nothing is committed, and whoever waits for it waits until it is buried. */
function mortal(store: Store) {
  let dead = false;
  let bury = () => {};
  const buried = new Promise<never>((_, reject) => {
    bury = () => reject(new ZerdError('store_failed', 'The daemon is dead.'));
  });
  buried.catch(() => {});
  const append: Store['append'] = async (sessionId, events) => {
    if (dead) return await buried;
    return await store.append(sessionId, events);
  };
  return {
    store: { ...store, append },
    bury,
    die() {
      dead = true;
    },
  };
}

/** The end of the running turn: an earlier turn's end does not count. */
function ended(until: (id: SessionId, kind: SessionEvent['kind']) => Promise<SessionEvent>, sessionId: SessionId) {
  return until(sessionId, 'turn.finished');
}

const usualPrice = { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 };

function writeConfig(
  folder: string,
  origin: string,
  wire: string,
  { price = usualPrice, contextWindow = 200_000, modelFacts = {}, config: more = {} }: SceneWish,
  apiKey?: string,
) {
  const baseUrl = wire === 'anthropic' ? origin : `${origin}/v1`;
  const models = [
    { id: 'sim', contextWindow, maxOutput: 8_000, price, ...modelFacts },
    { id: 'small', contextWindow: 30_000, maxOutput: 8_000, price, ...modelFacts },
  ];
  const config = {
    providers: { sim: { wire, baseUrl, apiKeyEnv: 'SIM_KEY', apiKey, models } },
    model: 'sim/sim',
    ...more,
  };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
}

/** Tells the kinds of events of each commit before it is made. */
export function noting(store: Store, note: (kinds: readonly SessionEvent['kind'][]) => void): Store {
  return {
    ...store,
    append(id, events) {
      note(events.map(({ kind }) => kind));
      return store.append(id, events);
    },
  };
}
