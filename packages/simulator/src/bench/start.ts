/** The start bench: `npm run -s bench:start -- --json`. Human lines first, with --json one JSON line last. */
import { wireRows } from '../gateway/wires.ts';
import { measureStart, type StartFigures, type StartSample } from './measure-start.ts';
import { readOptions, wrongUse } from './read-options.ts';

const usage = `start -- [--wire ${wireRows.map((row) => row.wire).join('|')}] [--rounds N] [--json]`;

process.exitCode = await main();

async function main(): Promise<number> {
  const values = readOptions(usage, {
    wire: { type: 'string', default: 'anthropic' },
    rounds: { type: 'string', default: '7' },
    json: { type: 'boolean', default: false },
  });
  const wire = wireRows.find((row) => row.wire === values.wire)?.wire;
  const rounds = Number(values.rounds);
  if (wire === undefined || !Number.isInteger(rounds) || rounds < 1) return wrongUse(usage);
  const figures = await measureStart({ wire, rounds, round: (sample) => tell('round ', sample) });
  tell('median', figures);
  if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
  return 0;
}

function tell(what: string, sample: StartSample | StartFigures): void {
  const { nodeMs, cliMs, warmFirstRequestMs, coldFirstRequestMs, daemonRssMb } = sample;
  const ms = (value: number) => `${value.toFixed(0).padStart(5)} ms`;
  process.stdout.write(
    `${what} node${ms(nodeMs)}  zerd --version${ms(cliMs)}  first request: warm${ms(warmFirstRequestMs)}` +
      `, cold${ms(coldFirstRequestMs)}  idle daemon ${daemonRssMb.toFixed(1)} MB\n`,
  );
}
