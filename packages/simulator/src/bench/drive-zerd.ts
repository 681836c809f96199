/** Drives the real built CLI through one run: against the gateway alone, in a private home, its daemon stopped at the end. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isObject, type Wire } from '../wire.ts';
import type { BenchFolder } from './private-folder.ts';

export interface DrivenRun {
  /** Kinds of the session's events, in order. */
  readonly kinds: readonly string[];
}

export interface DriveWish {
  readonly wire: Wire;
  readonly baseUrl: string;
  readonly prompt: string;
  /** Requests whose results stay whole in the context; absent: zerd's default. */
  readonly window?: number;
}

export async function driveZerd(folder: BenchFolder, wish: DriveWish): Promise<DrivenRun> {
  writeFileSync(join(folder.config, 'config.json'), JSON.stringify(configOf(wish)), { mode: 0o600 });
  const kinds = await settled(play(folder, wish.prompt));
  // Asked to stop in any case; what failed first is what is told.
  const stopped = await settled(zerd(folder, 'zerdd', ['stop']));
  if ('error' in kinds) throw kinds.error;
  if ('error' in stopped) throw stopped.error;
  return { kinds: kinds.value };
}

async function settled<T>(promise: Promise<T>): Promise<{ readonly value: T } | { readonly error: unknown }> {
  return promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
}

async function play(folder: BenchFolder, prompt: string): Promise<readonly string[]> {
  await zerd(folder, 'zerd', ['run', '--trust', '--mode', 'full', '--model', 'sim/sim', prompt]);
  const { sessions } = await rpc<{ readonly sessions: readonly { readonly sessionId: string }[] }>(
    folder,
    'session/list',
    {},
  );
  const sessionId = sessions[0]?.sessionId;
  if (sessions.length !== 1 || sessionId === undefined)
    throw new Error(`expected one session, found ${sessions.length}`);
  return kindsOf(folder, sessionId);
}

/** The bench model's prices in dollars per million tokens: reads a tenth, writes 1.25 on anthropic. */
function configOf({ wire, baseUrl, window }: DriveWish): object {
  const price = { input: 1, output: 5, cacheRead: 0.1, cacheWrite: wire === 'anthropic' ? 1.25 : 1 };
  const model = { id: 'sim', contextWindow: 200_000, maxOutput: 32_000, price };
  const providers = { sim: { wire, baseUrl, apiKey: 'bench', models: [model] } };
  return { providers, model: 'sim/sim', ...(window === undefined ? {} : { context: { window } }) };
}

async function kindsOf(folder: BenchFolder, sessionId: string): Promise<readonly string[]> {
  const kinds: string[] = [];
  for (let after = 0; ; ) {
    type Page = { readonly events: readonly { readonly seq: number; readonly event: { readonly kind: string } }[] };
    const { events } = await rpc<Page>(folder, 'session/read', { sessionId, after, limit: 1000 });
    kinds.push(...events.map(({ event }) => event.kind));
    const last = events.at(-1);
    if (last === undefined) return kinds;
    after = last.seq;
  }
}

async function rpc<T>(folder: BenchFolder, method: string, params: object): Promise<T> {
  const result: unknown = JSON.parse(await zerd(folder, 'zerd', ['rpc', method, JSON.stringify(params)]));
  if (!isObject(result)) throw new Error(`${method} answered no object`);
  return result as T;
}

const root = join(dirname(fileURLToPath(import.meta.url)), '../../../..');

/** Nothing of the caller's environment but PATH: a key or a setting there must not change the figures. */
function zerd(folder: BenchFolder, bin: 'zerd' | 'zerdd', args: readonly string[]): Promise<string> {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder.home,
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    ZERD_CONFIG_DIR: folder.config,
    XDG_CONFIG_HOME: folder.config,
    XDG_STATE_HOME: folder.state,
    XDG_RUNTIME_DIR: folder.runtime,
  };
  const child = spawn(process.execPath, [join(root, 'packages/cli/bin', `${bin}.js`), ...args], {
    cwd: folder.repository,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(output.stdout);
      else reject(new Error(`${bin} ${args[0]} ended with ${code}:\n${output.stderr || output.stdout}`));
    });
  });
}
