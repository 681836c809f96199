/**
 * The real house for the bill: built programs in a private folder, the gateway in this process, and one time of day for
 * both that can be moved forward. The daemon's clock is moved from outside (a file that a preload adds to Date.now), so
 * that nothing in the product knows of it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ModelFacts } from '../../gateway/models.ts';
import { type Gateway, startGateway } from '../../gateway/start.ts';
import { wireRows } from '../../gateway/wires.ts';
import type { Player } from '../../players/player.ts';
import { summarising } from '../../players/summarising.ts';
import { isObject, type Json, type Wire } from '../../wire.ts';
import { askDaemon, type ProgramEnd, runZerd, startZerd } from '../daemon-program.ts';
import { type BenchFolder, makeBenchFolder } from '../private-folder.ts';

export interface BillWish {
  readonly name: string;
  readonly wire: Wire;
  readonly files: ReadonlyMap<string, string>;
  readonly player: Player;
  /** What the configuration and the gateway say of models besides `sim` and `other`. */
  readonly models?: Readonly<Record<string, { readonly said?: Json; readonly served?: Partial<ModelFacts> }>>;
  readonly context?: Json;
  /** What may be spent, as the configuration has it. */
  readonly budgets?: Json;
}

export interface BillHouse {
  readonly gateway: Gateway;
  readonly folder: BenchFolder;
  /** Says something, in a new session unless one is named; settles when the turn is over. */
  say(text: string, more?: { readonly sessionId?: string; readonly model?: string }): Promise<string>;
  ask<T>(method: string, params: object): Promise<T>;
  zerd(...args: readonly string[]): Promise<string>;
  /** Moves the time of day forward, for the daemon and the gateway. */
  jump(ms: number): void;
  /** A command that does the same while it runs as a tool. */
  jumpCommand(ms: number): string;
  close(): Promise<void>;
}

/** A plain entry's life (Anthropic, and OpenAI's floor; 2026-11). */
const cacheTtlMs = 300_000;

export async function openBillHouse(wish: BillWish): Promise<BillHouse> {
  const folder = makeBenchFolder(`bill-${wish.name}`, wish.files);
  const skewFile = join(dirname(folder.repository), 'skew');
  writeFileSync(skewFile, '0');
  const skew = () => Number(readFileSync(skewFile, 'utf8')) || 0;
  const served = Object.fromEntries(
    modelNames(wish).map((name) => [name, { window: 200_000, maxOutput: 64_000, ...wish.models?.[name]?.served }]),
  );
  const clock = { now: () => Date.now() + skew() };
  const gateway = await startGateway({ player: summarising(wish.player), models: served, cacheTtlMs, clock });
  configure(folder, gateway.origin, wish);
  const daemon = startSkewed(folder, skewFile);
  await Promise.race([untilServing(folder), endedEarly(daemon)]);
  return {
    gateway,
    folder,
    async say(text, { sessionId, model = 'sim' } = {}) {
      const where = sessionId === undefined ? ['--mode', 'full'] : ['--session', sessionId];
      const said = await startZerd(
        folder,
        'zerd',
        ['run', ...where, '--trust', '--model', `sim/${model}`, '--json', '-'],
        text,
      );
      const report: unknown = said.stdout.startsWith('{') ? JSON.parse(said.stdout) : undefined;
      if (!isObject(report) || typeof report.sessionId !== 'string') throw new Error(`no turn ran:\n${said.stderr}`);
      return report.sessionId;
    },
    ask: (method, params) => askDaemon(folder, method, params),
    zerd: (...args) => runZerd(folder, 'zerd', args),
    jump: (ms) => writeFileSync(skewFile, String(skew() + ms)),
    jumpCommand: (ms) => `echo $(( $(cat ${skewFile}) + ${ms} )) > ${skewFile}`,
    async close() {
      await runZerd(folder, 'zerdd', ['stop']);
      await daemon;
      await gateway.close();
      folder.remove();
    },
  };
}

function modelNames({ models = {} }: BillWish): readonly string[] {
  return [...new Set(['sim', 'other', ...Object.keys(models)])];
}

function configure(folder: BenchFolder, origin: string, wish: BillWish): void {
  const basePath = wireRows.find((row) => row.wire === wish.wire)?.basePath ?? '';
  const price = { input: 1, output: 5, cacheRead: 0.1, cacheWrite: wish.wire === 'anthropic' ? 1.25 : 1 };
  const models = modelNames(wish).map((id) => ({
    id,
    contextWindow: 200_000,
    maxOutput: 32_000,
    price,
    ...wish.models?.[id]?.said,
  }));
  const providers = { sim: { wire: wish.wire, baseUrl: origin + basePath, apiKey: 'bench', models } };
  const config = { providers, model: 'sim/sim', context: wish.context ?? {}, budgets: wish.budgets ?? {} };
  writeFileSync(join(folder.config, 'config.json'), JSON.stringify(config), { mode: 0o600 });
}

/** Settles when it has ended. */
function startSkewed(folder: BenchFolder, skewFile: string): Promise<ProgramEnd> {
  const preload = join(dirname(folder.repository), 'skew.cjs');
  writeFileSync(
    preload,
    `const { readFileSync } = require('node:fs');
const now = Date.now;
Date.now = () => {
  try {
    return now() + (Number(readFileSync(${JSON.stringify(skewFile)}, 'utf8')) || 0);
  } catch {
    return now();
  }
};
`,
  );
  return startZerd(folder, 'zerdd', ['--root', folder.repository, '--idle', '0'], '', ['--require', preload]);
}

async function endedEarly(daemon: Promise<ProgramEnd>): Promise<never> {
  const { code, stderr } = await daemon;
  throw new Error(`the daemon ended with ${code}:\n${stderr}`);
}

async function untilServing(folder: BenchFolder): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const { code } = await startZerd(folder, 'zerdd', ['status', '--root', folder.repository]);
    if (code === 0) return;
  }
  throw new Error('the daemon did not begin to serve');
}
