/** Drives the real built CLI through one run: against the gateway alone, in a private home, its daemon stopped at the end. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Wire } from '../wire.ts';
import { askDaemon, runZerd, sessionEvents } from './daemon-program.ts';
import type { BenchFolder } from './private-folder.ts';

export interface DrivenRun {
  /** Kinds of the session's events, in order. */
  readonly kinds: readonly string[];
}

export interface BenchSettings {
  readonly wire: Wire;
  readonly baseUrl: string;
  /** Requests whose results stay whole in the context; absent: zerd's default. */
  readonly window?: number;
  /** When old results leave the context; absent: zerd's default. */
  readonly relief?: 'due' | 'every' | 'never';
}

export async function driveZerd(folder: BenchFolder, settings: BenchSettings, prompt: string): Promise<DrivenRun> {
  configure(folder, settings);
  return { kinds: await withDaemon(folder, () => play(folder, prompt)) };
}

/** The bench model's prices in dollars per million tokens: reads a tenth, writes 1.25 on anthropic. */
export function configure(folder: BenchFolder, { wire, baseUrl, ...context }: BenchSettings): void {
  const price = { input: 1, output: 5, cacheRead: 0.1, cacheWrite: wire === 'anthropic' ? 1.25 : 1 };
  const model = { id: 'sim', contextWindow: 200_000, maxOutput: 32_000, price };
  const providers = { sim: { wire, baseUrl, apiKey: 'bench', models: [model] } };
  const config = { providers, model: 'sim/sim', context };
  writeFileSync(join(folder.config, 'config.json'), JSON.stringify(config), { mode: 0o600 });
}

/** Asks the daemon to stop in any case; what failed first is what is told. */
export async function withDaemon<T>(folder: BenchFolder, use: () => Promise<T>): Promise<T> {
  const used = await settled(use());
  const stopped = await settled(runZerd(folder, 'zerdd', ['stop']));
  if ('error' in used) throw used.error;
  if ('error' in stopped) throw stopped.error;
  return used.value;
}

async function settled<T>(promise: Promise<T>): Promise<{ readonly value: T } | { readonly error: unknown }> {
  return promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
}

async function play(folder: BenchFolder, prompt: string): Promise<readonly string[]> {
  await runZerd(folder, 'zerd', ['run', '--trust', '--mode', 'full', '--model', 'sim/sim', prompt]);
  type Sessions = { readonly sessions: readonly { readonly sessionId: string }[] };
  const { sessions } = await askDaemon<Sessions>(folder, 'session/list', {});
  const sessionId = sessions[0]?.sessionId;
  if (sessions.length !== 1 || sessionId === undefined)
    throw new Error(`expected one session, found ${sessions.length}`);
  return (await sessionEvents(folder, sessionId)).map(({ kind }) => String(kind));
}
