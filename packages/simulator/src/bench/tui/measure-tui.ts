/**
 * Measures the terminal UI at 120 x 40 while an answer of 200 pieces a second runs into ten thousand lines of scrollback,
 * and at rest. Keys are typed all the while and timed beside those of a bare `cat` in the same run. Invariant: what is
 * measured is the real built program in a real terminal.
 */
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startGateway } from '../../gateway/start.ts';
import { scriptPlayer } from '../../players/script.ts';
import { type BenchFolder, makeBenchFolder } from '../private-folder.ts';
import { seedFiles } from '../seed-files.ts';
import { timedProgram } from '../timed-program.ts';
import { cpuMs, openPty, type Pty, rssMb } from './pty.ts';

/** The last line of the bench: exactly these fields. Shares are of one core. */
export interface TuiFigures {
  readonly bench: 'tui';
  /** From the start of the process to its first frame, with a daemon that runs. */
  readonly firstPaintMs: number;
  /** From a key to what it changes, less what a bare `cat` takes, while the answer runs. */
  readonly keyToPaintP50Ms: number;
  readonly keyToPaintP99Ms: number;
  readonly cpuPercent: number;
  readonly idleCpuPercent: number;
  readonly rssMb: number;
  readonly terminalKbPerS: number;
}

const size = { columns: 120, rows: 40 };
/** The answers that the scrollback comes in: one alone would fill the window. */
const fills = 5;
/** Pieces of the answer a second, and for how long. */
const perSecond = 200;

export interface TuiWish {
  readonly seconds: number;
  readonly tell: (line: string) => void;
  /** Less than usual proves that it measures, not what. */
  readonly scope?: TuiScope;
}

export interface TuiScope {
  /** Whose folder it is: two at the same time need two. */
  readonly folder: string;
  /** Lines of scrollback, every second one empty. */
  readonly scrollback: number;
  readonly idleMs: number;
  readonly paints: number;
}

const usual: TuiScope = { folder: 'tui', scrollback: 10_000, idleMs: 5_000, paints: 5 };

export async function measureTui({ seconds, tell, scope = usual }: TuiWish): Promise<TuiFigures> {
  const folder = makeBenchFolder(scope.folder, seedFiles());
  // More than is seen, each of ten characters: the answer must not end before the keys do.
  const words = Array.from({ length: 2 * perSecond * (seconds + 4) }, (_, n) => {
    const word = `word${String(n).padStart(4, '0')}`;
    return n % 12 === 11 ? `${word}\n\n` : `${word}, `;
  });
  const gateway = await startGateway({
    player: scriptPlayer([
      ...Array.from({ length: fills }, (_, fill) => ({ text: linesOf(fill, scope).join('\n\n') })),
      {
        text: words.join(''),
        deltaLength: 10,
        // The event of such a delta is about so long; timers are late by a part of a millisecond.
        fault: { kind: 'chunks', bytes: 134, everyMs: 950 / perSecond },
      },
    ]),
  });
  try {
    prepare(folder, gateway.origin);
    await zerd(folder, ['trust']);
    return await inTerminal(folder, { seconds, tell, scope });
  } finally {
    await zerd(folder, ['rpc', 'daemon/shutdown', '{"force":true}']).catch(() => undefined);
    await gateway.close();
    folder.remove();
  }
}

function linesOf(fill: number, { scrollback }: TuiScope): readonly string[] {
  const linesOfFill = scrollback / 2 / fills;
  const name = (n: number) => `line ${fill * linesOfFill + n} of what was said before, with some words in it`;
  return Array.from({ length: linesOfFill }, (_, n) => name(n));
}

async function inTerminal(folder: BenchFolder, { seconds, tell, scope }: Required<TuiWish>): Promise<TuiFigures> {
  const paints = [];
  for (let n = 0; n < scope.paints; n++) paints.push(await firstPaint(folder));
  const cat = openPty({ argv: ['/bin/cat'], cwd: folder.repository, env: envOf(folder), ...size });
  const ui = openPty({ argv: argvOf('zerd', ['--mode', 'full']), cwd: folder.repository, env: envOf(folder), ...size });
  try {
    await ui.shows('/help');
    for (let n = 0; n < fills; n++) {
      const filled = ui.shows(linesOf(n, scope).at(-1) ?? '');
      ui.type('fill\r');
      await filled;
      await ui.shows('/help');
    }
    await pause(1_000);
    const idleBefore = cpuMs(ui.pid);
    await pause(scope.idleMs);
    const idleCpuPercent = (100 * (cpuMs(ui.pid) - idleBefore)) / scope.idleMs;
    const streams = ui.shows('word0012');
    ui.type('stream\r');
    await streams;
    const before = { cpu: cpuMs(ui.pid), bytes: ui.bytes(), pieces: piecesShown(ui), at: performance.now() };
    const keys = await typeFor(ui, cat, seconds);
    const tookMs = performance.now() - before.at;
    tell(`pieces of the answer: ${Math.round((1000 * (piecesShown(ui) - before.pieces)) / tookMs)} a second`);
    tell(`keys: ${keys.ui.length} typed, bare cat ${percentile(keys.cat, 0.5).toFixed(2)} ms median`);
    return {
      bench: 'tui',
      firstPaintMs: round(percentile(paints, 0.5)),
      keyToPaintP50Ms: round(Math.max(0, percentile(keys.ui, 0.5) - percentile(keys.cat, 0.5))),
      keyToPaintP99Ms: round(Math.max(0, percentile(keys.ui, 0.99) - percentile(keys.cat, 0.5))),
      cpuPercent: round((100 * (cpuMs(ui.pid) - before.cpu)) / tookMs),
      idleCpuPercent: round(idleCpuPercent),
      rssMb: round(rssMb(ui.pid)),
      terminalKbPerS: round((ui.bytes() - before.bytes) / tookMs),
    };
  } finally {
    await Promise.all([ui.end(), cat.end()]);
  }
}

function piecesShown(ui: Pty): number {
  return Number([...ui.tail().matchAll(/word(\d+)/g)].at(-1)?.[1] ?? 0);
}

async function firstPaint(folder: BenchFolder): Promise<number> {
  const ui = openPty({ argv: argvOf('zerd', []), cwd: folder.repository, env: envOf(folder), ...size });
  try {
    return await ui.shows('/help');
  } finally {
    await ui.end();
  }
}

/** A letter every 100 ms in each of the two, timed from the key to its sight. */
async function typeFor(ui: Pty, cat: Pty, seconds: number): Promise<{ ui: number[]; cat: number[] }> {
  const times = { ui: [] as number[], cat: [] as number[] };
  let written = '';
  const letters = 'qzjxkv';
  for (const end = performance.now() + seconds * 1000; performance.now() < end; ) {
    const letter = letters[written.length % letters.length] ?? 'q';
    written += letter;
    const echoed = cat.shows(letter);
    cat.type(letter);
    times.cat.push(await echoed);
    const shown = ui.shows(`> ${written}`);
    ui.type(letter);
    times.ui.push(await shown);
    await pause(100);
    if (written.length < 60) continue;
    // The line is emptied before it is broken.
    ui.type('\x15');
    written = '';
    await pause(100);
  }
  return times;
}

function prepare(folder: BenchFolder, baseUrl: string): void {
  const price = { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 };
  const model = { id: 'sim', contextWindow: 200_000, maxOutput: 64_000, price };
  const config = {
    providers: { sim: { wire: 'anthropic', baseUrl, apiKey: 'bench', models: [model] } },
    model: 'sim/sim',
  };
  writeFileSync(join(folder.config, 'config.json'), JSON.stringify(config), { mode: 0o600 });
}

function envOf({ home, config, state, runtime }: BenchFolder): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: home,
    ZERD_CONFIG_DIR: config,
    XDG_STATE_HOME: state,
    XDG_RUNTIME_DIR: runtime,
  };
}

const bin = join(dirname(fileURLToPath(import.meta.url)), '../../../../cli/bin');

function argvOf(name: 'zerd', args: readonly string[]): readonly string[] {
  return [process.execPath, join(bin, `${name}.js`), ...args];
}

function zerd(folder: BenchFolder, args: readonly string[]) {
  return timedProgram({ argv: argvOf('zerd', args), cwd: folder.repository, env: envOf(folder) });
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
