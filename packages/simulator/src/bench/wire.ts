/** The wire bench: `npm run -s bench:wire -- --script seed --wire anthropic --json`. Human lines first, with --json one JSON line last. */
import { parseArgs } from 'node:util';
import { wireRows } from '../gateway/wires.ts';
import { type BenchScript, benchScripts } from './bench-scripts.ts';
import { measureWire, type WireFigures } from './measure-wire.ts';

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      script: { type: 'string', default: 'seed' },
      wire: { type: 'string', default: 'anthropic' },
      json: { type: 'boolean', default: false },
    },
  });
  const script = scriptNamed(values.script);
  const wire = wireRows.find((row) => row.wire === values.wire)?.wire;
  if (script === undefined || wire === undefined) return usage();
  const startedAt = performance.now();
  const figures = await measureWire(values.script, script, wire);
  process.stdout.write(told(figures, performance.now() - startedAt));
  if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
  return 0;
}

function scriptNamed(name: string): BenchScript | undefined {
  return Object.hasOwn(benchScripts, name) ? benchScripts[name] : undefined;
}

function usage(): number {
  const scripts = Object.keys(benchScripts).join('|');
  const wires = wireRows.map((row) => row.wire).join('|');
  process.stderr.write(`Usage: npm run -s bench:wire -- --script ${scripts} --wire ${wires} [--json]\n`);
  return 2;
}

function told(figures: WireFigures, ms: number): string {
  const n = (value: number) => value.toLocaleString('en-US');
  return [
    `${figures.script} over ${figures.wire}: ${figures.requests} requests (${figures.extraRequests} extra), ${(ms / 1000).toFixed(1)} s`,
    `bytes    ${n(figures.requestBytes)} in all, ${n(figures.bytesPerRequest)} a request`,
    `fixed    system ${n(figures.systemTokens)}, tools ${n(figures.toolsTokens)} tokens; peak ${n(figures.peakTokens)}`,
    `cache    read ${n(figures.cacheRead)}, written ${n(figures.cacheWrite)}, uncached ${n(figures.uncached)}: hit rate ${(100 * figures.hitRate).toFixed(1)} %`,
    `weighted ${n(figures.weighted)}`,
    `context  ${figures.trims} trims, ${figures.compactions} compactions, ${figures.rereads} re-reads`,
    '',
  ].join('\n');
}
