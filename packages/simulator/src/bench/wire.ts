/**
 * The wire bench: `npm run -s bench:wire -- --script seed --wire anthropic --json`. Human lines first, with --json one
 * JSON line last. Ends with 1 when an edit of the script is not on disk.
 */
import { wireRows } from '../gateway/wires.ts';
import type { Wire } from '../wire.ts';
import { type BenchScript, benchScripts } from './bench-scripts.ts';
import { measureWire, type WireFigures } from './measure-wire.ts';
import { readOptions, wrongUse } from './read-options.ts';

const usage = `wire -- [--script ${Object.keys(benchScripts).join('|')}] [--wire ${wireRows.map((row) => row.wire).join('|')}] [--window 3,6,12] [--json]`;

process.exitCode = await main();

async function main(): Promise<number> {
  const values = readOptions(usage, {
    script: { type: 'string', default: 'seed' },
    wire: { type: 'string', default: 'anthropic' },
    window: { type: 'string' },
    json: { type: 'boolean', default: false },
  });
  const script = scriptNamed(values.script);
  const wire = wireRows.find((row) => row.wire === values.wire)?.wire;
  const windows = windowsIn(values.window);
  if (script === undefined || wire === undefined || windows === undefined) return wrongUse(usage);
  const rows: Row[] = [];
  for (const window of windows) rows.push(await measured(values.script, script, wire, window));
  if (values.json) process.stdout.write(`${JSON.stringify(lastLine(rows))}\n`);
  return rows.some(({ edits, editsOnDisk }) => edits !== editsOnDisk) ? 1 : 0;
}

/** A run's figures, with the window that was asked for. */
type Row = WireFigures & { readonly window?: number };

async function measured(name: string, script: BenchScript, wire: Wire, window: number | undefined): Promise<Row> {
  const startedAt = performance.now();
  const figures = await measureWire(name, script, wire, window);
  const row = window === undefined ? figures : { ...figures, window };
  process.stdout.write(told(row, performance.now() - startedAt));
  return row;
}

/** One run is the line itself, several are a list in it. */
function lastLine(rows: readonly Row[]): object {
  const [first] = rows;
  if (first === undefined || rows.length === 1) return first ?? {};
  const { bench, script, wire, model } = first;
  return {
    bench,
    script,
    wire,
    model,
    sweep: rows.map(({ bench: _, script: __, wire: ___, model: ____, ...row }) => row),
  };
}

/** `3,6,12`; absent: one run with zerd's default. undefined: no such numbers. */
function windowsIn(text: string | undefined): readonly (number | undefined)[] | undefined {
  if (text === undefined) return [undefined];
  const windows = text.split(',').map(Number);
  return windows.every((window) => Number.isInteger(window) && window > 0) ? windows : undefined;
}

function scriptNamed(name: string): BenchScript | undefined {
  return Object.hasOwn(benchScripts, name) ? benchScripts[name] : undefined;
}

function told(figures: Row, ms: number): string {
  const n = (value: number) => value.toLocaleString('en-US');
  return [
    `${figures.script} over ${figures.wire}${figures.window === undefined ? '' : `, window ${figures.window}`}: ${figures.requests} requests (${figures.extraRequests} extra), ${(ms / 1000).toFixed(1)} s`,
    `bytes    ${n(figures.requestBytes)} in all, ${n(figures.bytesPerRequest)} a request`,
    `fixed    system ${n(figures.systemTokens)}, tools ${n(figures.toolsTokens)} tokens; peak ${n(figures.peakTokens)}`,
    `cache    read ${n(figures.cacheRead)}, written ${n(figures.cacheWrite)}, uncached ${n(figures.uncached)}: hit rate ${(100 * figures.hitRate).toFixed(1)} %`,
    `weighted ${n(figures.weighted)}`,
    `context  ${figures.trims} trims, ${figures.compactions} compactions, ${figures.rereads} re-reads`,
    ...(figures.edits === undefined ? [] : [`edits    ${figures.editsOnDisk} of ${figures.edits} on disk`]),
    '',
  ].join('\n');
}
