/** The bench of the terminal UI: `npm run -s bench:tui -- --json`. With --json one JSON line last. */
import { parseArgs } from 'node:util';
import { measureTui } from './tui/measure-tui.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '15' }, json: { type: 'boolean', default: false } },
});
const figures = await measureTui({
  seconds: Number(values.seconds),
  tell: (line) => process.stdout.write(`${line}\n`),
});
for (const [name, value] of Object.entries(figures)) process.stdout.write(`${name.padEnd(18)} ${value}\n`);
if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
