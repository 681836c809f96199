/**
 * Brings the prices of the catalogue up to date from a well-kept one: `node scripts/refresh-catalog.mjs [--from FOLDER]
 * [--as-of DAY] [--accept provider/model]... [--write]`. Shows what would change and writes only with --write. An absurd
 * change (nothing, or more than three times as much or as little) is refused until it is accepted by name.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { compareRows, mergeRows, readRows, rowsText } from './catalog/rows.mjs';
import { wanted } from './catalog/wanted.mjs';

const target = join(import.meta.dirname, '../packages/core/src/model/catalog-prices.ts');
const packageName = '@earendil-works/pi-ai';

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exitCode = main();

function main() {
  const { values } = parseArgs({
    options: {
      from: { type: 'string' },
      'as-of': { type: 'string', default: new Date().toISOString().slice(0, 10) },
      accept: { type: 'string', multiple: true, default: [] },
      write: { type: 'boolean', default: false },
    },
  });
  const fetched = values.from === undefined ? fetchPackage() : undefined;
  try {
    return refresh(values.from ?? fetched, values['as-of'], values.accept, values.write);
  } finally {
    if (fetched !== undefined) rmSync(join(fetched, '..'), { recursive: true, force: true });
  }
}

function refresh(folder, asOf, accepted, write) {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const known = existsSync(target) ? readRows(readFileSync(target, 'utf8')) : [];
  const found = wanted.flatMap(({ provider, file, ids }) => foundIn(folder, provider, file, ids));
  const changes = compareRows(known, found);
  for (const { says } of changes) console.log(says);
  const refused = changes.filter(({ absurd, name }) => absurd && !accepted.includes(name));
  for (const { name } of refused) console.log(`refused: ${name} (look it up, then --accept ${name})`);
  const kept = found.filter(({ provider, id }) => !refused.some(({ name }) => name === `${provider}/${id}`));
  const source = `npm ${packageName} ${version}`;
  if (write) writeFileSync(target, rowsText(mergeRows(known, kept, { asOf, source })));
  console.log(`${changes.length} changes, ${refused.length} refused, ${write ? 'written' : 'nothing written'}`);
  return refused.length > 0 ? 1 : 0;
}

/** The package's data alone: its other dependencies are never installed. */
function fetchPackage() {
  const folder = mkdtempSync(join(tmpdir(), 'zerd-catalog-'));
  const packed = execFileSync('npm', ['pack', packageName, '--silent', '--prefer-offline'], { cwd: folder });
  execFileSync('tar', ['xzf', packed.toString().trim()], { cwd: folder });
  return join(folder, 'package');
}

/** What the package says of each wanted model; what it does not have is left as it was. */
function foundIn(folder, provider, file, ids) {
  const byApi = JSON.parse(readFileSync(join(folder, 'dist/providers/data', `${file}.json`), 'utf8'));
  const models = Object.values(byApi).flatMap((models) => Object.values(models));
  return ids.flatMap((id) => {
    const model = models.find((one) => one.id === id && one.type === 'chat' && one.cost !== undefined);
    return model === undefined ? [] : [rowOf(provider, model)];
  });
}

function rowOf(provider, { id, cost, contextWindow, maxTokens }) {
  const tier = cost.tiers?.[0];
  const above = tier === undefined ? {} : { above: [tier.inputTokensAbove, ...figuresOf(tier)] };
  return { provider, id, window: contextWindow, maxOutput: maxTokens, usd: figuresOf(cost), ...above };
}

/** The package writes 0 where there is no price of its own: reading and writing then cost what input costs. */
function figuresOf({ input, output, cacheRead, cacheWrite }) {
  return [input, output, cacheRead || input, cacheWrite || input];
}
