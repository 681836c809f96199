/**
 * Times what a person waits for at the door, in rounds that take one sample of each figure, so that a machine that grows
 * busy spoils none of them alone. Invariant: every figure is of the real built programs in a private home.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startGateway } from '../gateway/start.ts';
import { wireRows } from '../gateway/wires.ts';
import { scriptPlayer } from '../players/script.ts';
import { isObject, type Wire } from '../wire.ts';
import { type FirstByteRelay, startFirstByteRelay } from './first-byte-relay.ts';
import { type BenchFolder, makeBenchFolder } from './private-folder.ts';
import { seedFiles } from './seed-files.ts';
import { type TimedRun, timedProgram } from './timed-program.ts';

/** The last line of the bench: exactly these fields. Milliseconds from the start of the process, medians. */
export interface StartFigures {
  readonly bench: 'start';
  /** `node -e 0`, to its exit. */
  readonly nodeMs: number;
  /** `zerd --version`, to its exit. */
  readonly cliMs: number;
  /** `zerd run`, to the first byte of its first model request; the daemon has made one on this wire before. */
  readonly warmFirstRequestMs: number;
  /** The same while no daemon runs. */
  readonly coldFirstRequestMs: number;
  /** The daemon before its first turn, in 10^6 bytes. */
  readonly daemonRssMb: number;
}

export interface StartWish {
  readonly wire: Wire;
  readonly rounds: number;
  /** Told each round's samples. */
  readonly round?: (sample: StartSample) => void;
}

export type StartSample = Omit<StartFigures, 'bench'>;

export async function measureStart({ wire, rounds, round }: StartWish): Promise<StartFigures> {
  const folder = makeBenchFolder(`start-${wire}`, seedFiles());
  const gateway = await startGateway({ player: scriptPlayer([]) });
  const relay = await startFirstByteRelay(gateway.origin);
  try {
    prepare(folder, wire, relay.origin + (wireRows.find((row) => row.wire === wire)?.basePath ?? ''));
    const samples: StartSample[] = [];
    for (let n = 0; n < rounds; n++) {
      const sample = await sampleOnce(folder, relay);
      samples.push(sample);
      round?.(sample);
    }
    return mediansOf(samples);
  } finally {
    await zerd(folder, 'zerdd', ['stop', '--force']);
    relay.close();
    await gateway.close();
    folder.remove();
  }
}

/** A repository as people have them, with git to be asked; and the configuration. */
function prepare(folder: BenchFolder, wire: Wire, baseUrl: string): void {
  const git = ['init -q', 'add .', 'commit -qm Begin'].map((words) => words.split(' '));
  const identity = ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost'];
  for (const args of git) execFileSync('git', [...identity, ...args], { cwd: folder.repository, env: envOf(folder) });
  const model = { id: 'sim', contextWindow: 200_000, maxOutput: 32_000 };
  const config = { providers: { sim: { wire, baseUrl, apiKey: 'bench', models: [model] } }, model: 'sim/sim' };
  writeFileSync(join(folder.config, 'config.json'), JSON.stringify(config), { mode: 0o600 });
}

/** What a start allocates and lets go again is no idle memory, and its clearing away is no part of the next run. */
const settleMs = 500;

async function sampleOnce(folder: BenchFolder, relay: FirstByteRelay): Promise<StartSample> {
  const node = await timedProgram({ argv: [process.execPath, '-e', '0'], cwd: folder.repository, env: envOf(folder) });
  const cli = await zerd(folder, 'zerd', ['--version']);
  const daemonRssMb = await idleRssMb(folder);
  await zerd(folder, 'zerdd', ['stop']);
  const coldFirstRequestMs = await firstRequestMs(folder, relay);
  await pause(settleMs);
  const warmFirstRequestMs = await firstRequestMs(folder, relay);
  await zerd(folder, 'zerdd', ['stop']);
  return { nodeMs: node.ms, cliMs: cli.ms, warmFirstRequestMs, coldFirstRequestMs, daemonRssMb };
}

async function firstRequestMs(folder: BenchFolder, relay: FirstByteRelay): Promise<number> {
  const firstByte = relay.firstByte();
  const { startedAt } = await zerd(folder, 'zerd', ['run', '--trust', 'Say that you are done.']);
  return (await firstByte) - startedAt;
}

async function idleRssMb(folder: BenchFolder): Promise<number> {
  const status: unknown = JSON.parse((await zerd(folder, 'zerd', ['rpc', 'daemon/status'])).stdout);
  if (!isObject(status) || typeof status.pid !== 'number') throw new Error('daemon/status told no pid');
  await pause(settleMs);
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${status.pid}/status`, 'utf8')) ?? [];
  return (Number(kib) * 1024) / 1e6;
}

function mediansOf(samples: readonly StartSample[]): StartFigures {
  const figure = (name: keyof StartSample) => Math.round(medianOf(samples.map((sample) => sample[name])) * 10) / 10;
  return {
    bench: 'start',
    nodeMs: figure('nodeMs'),
    cliMs: figure('cliMs'),
    warmFirstRequestMs: figure('warmFirstRequestMs'),
    coldFirstRequestMs: figure('coldFirstRequestMs'),
    daemonRssMb: figure('daemonRssMb'),
  };
}

export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = Number.NaN, high = Number.NaN] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]];
  return (low + high) / 2;
}

const root = join(dirname(fileURLToPath(import.meta.url)), '../../../..');

function zerd(folder: BenchFolder, bin: 'zerd' | 'zerdd', args: readonly string[]): Promise<TimedRun> {
  const argv = [process.execPath, join(root, 'packages/cli/bin', `${bin}.js`), ...args];
  return timedProgram({ argv, cwd: folder.repository, env: envOf(folder) });
}

/** Nothing of the caller's environment but PATH. */
function envOf(folder: BenchFolder): Readonly<Record<string, string>> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: folder.home,
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    ZERD_CONFIG_DIR: folder.config,
    XDG_STATE_HOME: folder.state,
    XDG_RUNTIME_DIR: folder.runtime,
    GIT_CONFIG_NOSYSTEM: '1',
  };
}
