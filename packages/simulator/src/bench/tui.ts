/** The bench of the terminal UI: `npm run -s bench:tui -- --json`. With --json one JSON line last. */

import { readOptions, wrongUse } from './read-options.ts';
import { measureTui } from './tui/measure-tui.ts';

const usage = 'tui -- [--seconds N] [--json]';
const values = readOptions(usage, {
  seconds: { type: 'string', default: '15' },
  json: { type: 'boolean', default: false },
});
const seconds = Number(values.seconds);
if (!(seconds > 0)) process.exit(wrongUse(usage));
const figures = await measureTui({
  seconds,
  tell: (line) => process.stdout.write(`${line}\n`),
});
for (const [name, value] of Object.entries(figures)) process.stdout.write(`${name.padEnd(18)} ${value}\n`);
if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
