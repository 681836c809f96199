/**
 * A whole house for one specification: a home of its own, a repository, the gateway in this process, and the built
 * `zerd` and `zerdd`. Invariant: after `stop` no process of it is left and no file of it remains.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { LoggedEvent } from '@zerd/protocol/common/event';
import { sessionIdSchema } from '@zerd/protocol/common/ids';
import type { ZerdClient } from '@zerd/protocol/node/client';
import { connectOrSpawn } from '@zerd/protocol/node/connect-or-spawn';
import { type Gateway, type GatewayOptions, startGateway } from '@zerd/simulator/gateway/start';
import type { Player, Step } from '@zerd/simulator/players/player';
import { scriptPlayer } from '@zerd/simulator/players/script';
import { makeGitRepository } from './git-repository.ts';
import { endDaemons } from './left-alive.ts';
import { type Finished, type Running, type RunOptions, runProgram, startProgram } from './run-program.ts';

export type HouseWire = 'anthropic' | 'responses' | 'chat';

export interface HouseWish {
  readonly wire?: HouseWire;
  /** What the model answers, in order; then it says 'done'. */
  readonly steps?: readonly Step[];
  readonly player?: Player;
  readonly faults?: GatewayOptions['faults'];
  /** What the gateway serves; default: `sim`. */
  readonly models?: NonNullable<GatewayOptions['models']>;
  /** Files of the repository by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Default: a git repository with one commit; false: a bare folder. */
  readonly git?: boolean;
  /** Added to the environment of every client. */
  readonly env?: Readonly<Record<string, string>>;
  /** In place of this Node and the bins of the repository. */
  readonly program?: Program;
  /** In place of the usual config.json: its text, or a function of the usual one. */
  readonly config?: string | ((usual: Config) => unknown);
}

export interface Program {
  readonly node: string;
  /** The folder of zerd.js and zerdd.js. */
  readonly bin: string;
}

export type Config = ReturnType<typeof usualConfig>;
export type ZerdOptions = Partial<RunOptions>;

export interface House {
  /** Everything is in here; the text by which its processes are known. */
  readonly home: string;
  /** The repository: a real path. */
  readonly repository: string;
  readonly configFile: string;
  readonly env: Readonly<Record<string, string>>;
  readonly gateway: Gateway;
  /** Runs the built `zerd` in the repository, to its end. */
  zerd(args: readonly string[], options?: ZerdOptions): Promise<Finished>;
  zerdd(args: readonly string[], options?: ZerdOptions): Promise<Finished>;
  /** Runs a line of sh with `folder` as its working folder and `$0`, and the words of a `zerd` as `$@`. */
  shell(line: string, folder: string, args: readonly string[]): Promise<Finished>;
  /** Starts `zerd` and goes on. */
  start(args: readonly string[], options?: ZerdOptions): Running;
  /** Connects, starting the daemon when there is none. Closed by `stop`. */
  connect(spawn?: 'daemon' | 'never'): Promise<ZerdClient>;
  /** All events of a session, from the log. */
  events(sessionId: string): Promise<readonly LoggedEvent[]>;
  stop(): Promise<void>;
}

const built: Program = { node: process.execPath, bin: join(import.meta.dirname, '../../packages/cli/bin') };

/** Runs `story` in a house that is gone afterwards, whatever happens. */
export async function inHouse(wish: HouseWish, story: (house: House) => Promise<void>): Promise<void> {
  const house = await startHouse(wish);
  try {
    await story(house);
  } catch (failure) {
    // What a story that broke off leaves alive is no news.
    await house.stop().catch(() => {});
    throw failure;
  }
  await house.stop();
}

export async function startHouse(wish: HouseWish = {}): Promise<House> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'zerd-house-')));
  const folders = makeFolders(home);
  makeFiles(folders.repository, wish.files ?? { 'README.md': 'A small repository.\n' });
  if (wish.git !== false) await makeGitRepository(folders.repository);
  const player = wish.player ?? scriptPlayer(wish.steps ?? []);
  const gateway = await startGateway({
    player,
    ...(wish.faults && { faults: wish.faults }),
    ...(wish.models && { models: wish.models }),
  });
  const env = { ...environment(folders), ...wish.env };
  const configFile = join(folders.config, 'zerd', 'config.json');
  makeFiles(dirname(configFile), {
    'config.json': configText(wish, usualConfig(wish.wire ?? 'anthropic', gateway.origin)),
  });
  return furnish({ home, repository: folders.repository, configFile, env, gateway }, wish.program ?? built);
}

type Shell = Pick<House, 'home' | 'repository' | 'configFile' | 'env' | 'gateway'>;

function furnish(shell: Shell, { node, bin }: Program): House {
  const zerdPath = join(bin, 'zerd.js');
  const zerddPath = join(bin, 'zerdd.js');
  const clients = new Set<ZerdClient>();
  const { home, repository, env, gateway } = shell;
  const options = (own: ZerdOptions = {}): RunOptions => ({ cwd: repository, ...own, env: { ...env, ...own.env } });
  const connect = async (spawn: 'daemon' | 'never' = 'daemon') => {
    const client = { name: 'spec', version: '0' };
    const connected = await connectOrSpawn({ root: repository, env, client, zerddPath, spawn });
    clients.add(connected);
    return connected;
  };
  return {
    ...shell,
    zerd: (args, own) => runProgram([node, zerdPath, ...args], options(own)),
    zerdd: (args, own) => runProgram([node, zerddPath, ...args], options(own)),
    shell: (line, folder, args) =>
      runProgram(['/bin/sh', '-c', line, folder, node, zerdPath, ...args], options({ cwd: folder })),
    start: (args, own) => startProgram([node, zerdPath, ...args], options(own)),
    connect,
    async events(sessionId) {
      const client = await connect();
      return (await client.request('session/read', { sessionId: sessionIdSchema.parse(sessionId) })).events;
    },
    async stop() {
      for (const client of clients) client.close();
      try {
        await endDaemons(home);
      } finally {
        await gateway.close();
        rmSync(home, { recursive: true, force: true });
      }
    },
  };
}

interface Folders {
  readonly repository: string;
  readonly user: string;
  readonly state: string;
  readonly runtime: string;
  readonly config: string;
  readonly temporary: string;
}

function makeFolders(home: string): Folders {
  const folders = {
    repository: join(home, 'repository'),
    user: join(home, 'user'),
    state: join(home, 'state'),
    runtime: join(home, 'run'),
    config: join(home, 'config'),
    temporary: join(home, 'tmp'),
  };
  for (const folder of Object.values(folders)) mkdirSync(folder, { mode: 0o700 });
  return folders;
}

/** Nothing of the environment in which the tests run, but the way to programs. NODE_OPTIONS above all is jest's own. */
function environment(folders: Folders): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    LANG: 'C.UTF-8',
    HOME: folders.user,
    TMPDIR: folders.temporary,
    XDG_STATE_HOME: folders.state,
    XDG_RUNTIME_DIR: folders.runtime,
    XDG_CONFIG_HOME: folders.config,
    SIM_API_KEY: 'sim-key-that-must-not-leak',
  };
}

/** The provider `sim` with its model `sim`: 1 dollar in, 5 out, reads a tenth, writes as the wire has it. */
function usualConfig(wire: HouseWire, url: string) {
  const price = { input: 1, output: 5, cacheRead: 0.1, cacheWrite: wire === 'anthropic' ? 1.25 : 1 };
  const models = [{ id: 'sim', contextWindow: 200_000, maxOutput: 8_000, price }];
  const baseUrl = wire === 'anthropic' ? url : `${url}/v1`;
  return { providers: { sim: { wire, baseUrl, apiKeyEnv: 'SIM_API_KEY', models } }, model: 'sim/sim' };
}

function configText({ config }: HouseWish, usual: Config): string {
  if (typeof config === 'string') return config;
  return JSON.stringify(config === undefined ? usual : config(usual), null, 2);
}

function makeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}
