/** The search bench: `npm run -s bench:search -- --tree DIR --json`. Human lines first, with --json one JSON line last. */
import { statSync } from 'node:fs';
import { readOptions, wrongUse } from './read-options.ts';
import { measureSearch } from './search/measure-search.ts';

const usage = 'search -- --tree DIR [--rounds N] [--json]';

process.exitCode = await main();

async function main(): Promise<number> {
  const values = readOptions(usage, {
    tree: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    json: { type: 'boolean', default: false },
  });
  const { tree } = values;
  const rounds = Number(values.rounds);
  const isFolder = tree !== undefined && statSync(tree, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isFolder || !Number.isInteger(rounds) || rounds < 1) return wrongUse(usage);
  const figures = await measureSearch({ tree, rounds, tell: (line) => process.stdout.write(`${line}\n`) });
  if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
  return figures.equal ? 0 : 1;
}
