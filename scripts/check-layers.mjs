/**
 * Runs the import rules of `.dependency-cruiser.cjs` over the house. A cruiser that cannot parse TypeScript reports "no
 * violations", so two things are asserted beside: every source file was really read, and each rule finds a planted
 * violation in a small house of its own.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cruise } from 'dependency-cruiser';
import { fail, pass, root, sourceFiles } from './tree.mjs';

const { forbidden, options } = createRequire(import.meta.url)('../.dependency-cruiser.cjs');

/** The way back of the planted cycle, which is reported once. */
const wayBack = ['packages/core/src/b.ts', './a.ts'];

/** For each rule the imports that break it: the importing file, and what it imports. */
const plants = {
  'no-cycle': [['packages/core/src/a.ts', './b.ts']],
  resolves: [['packages/core/src/lost.ts', './nowhere.ts']],
  'common-alone': [['protocol/src/common/up.ts', '../node/clock.ts']],
  'protocol-alone': [['protocol/src/node/up.ts', '../../../packages/core/src/leaf.ts']],
  'core-below': [['packages/core/src/up.ts', '../../providers/src/leaf.ts']],
  'providers-below': [['packages/providers/src/up.ts', '../../daemon/src/base/leaf.ts']],
  'daemon-below': [['packages/daemon/src/base/up.ts', '../../../cli/src/leaf.ts']],
  'clients-thin': [['packages/cli/src/deep.ts', '../../core/src/leaf.ts']],
  'clients-apart': [['packages/tui/src/aside.ts', '../../cli/src/leaf.ts']],
  oracle: [
    ['packages/simulator/src/shared.ts', '../../../protocol/src/node/clock.ts'],
    ['packages/simulator/src/inward.ts', './bench/leaf.ts'],
  ],
  benches: [['packages/simulator/src/bench/wire.ts', '../../../providers/src/leaf.ts']],
  purity: [['packages/core/src/reads.ts', 'node:fs']],
  'few-packages-below': [['packages/core/src/heavy.ts', 'heavy']],
  'services-below': [['packages/daemon/src/store/up.ts', '../runner/leaf.ts']],
  'services-apart': [['packages/daemon/src/store/aside.ts', '../search/leaf.ts']],
  'tools-apart': [['packages/daemon/src/tools/read/aside.ts', '../edit/leaf.ts']],
  'base-below': [['packages/daemon/src/files/up.ts', '../store/leaf.ts']],
  'runner-below': [['packages/daemon/src/runner/up.ts', '../server/leaf.ts']],
  'server-below': [['packages/daemon/src/server/up.ts', '../main.ts']],
  'network-in-transport': [
    ['packages/daemon/src/server/fetches.ts', 'node:http'],
    ['packages/providers/src/anthropic/calls.ts', 'openai'],
    ['packages/providers/src/sign-in/calls.ts', 'undici'],
    ['packages/daemon/src/credentials/listens.ts', 'node:http'],
  ],
  'outside-tools-apart': [['packages/daemon/src/tools/mcp/calls.ts', '@modelcontextprotocol/sdk/client/index.js']],
  'sources-without-tests': [['packages/core/src/tested.ts', '../test/leaf.ts']],
};

const house = await cruiseTree(
  root,
  ['protocol', 'packages', 'test'].filter((folder) => sourceFiles([folder]).length > 0),
);
const findings = [...violationsOf(house), ...unread(house), ...(await toothless())];
if (findings.length > 0) fail('layers', findings);
pass('layers', `${house.modules.filter(isOurs).length} files read, ${forbidden.length} rules, each seen to bite`);

async function cruiseTree(baseDir, folders) {
  const { output } = await cruise(folders, { ...options, baseDir, validate: true, ruleSet: { forbidden } });
  return output;
}

function violationsOf(result) {
  return result.summary.violations.map(
    ({ rule, from, to }) => `${rule.name}: ${from} imports ${to}. ${commentOf(rule.name)}`,
  );
}

function commentOf(name) {
  return forbidden.find((rule) => rule.name === name)?.comment ?? '';
}

/** Sources on disk that the cruiser did not read, and the reverse. */
function unread(result) {
  const read = new Set(result.modules.filter(isOurs).map(({ source }) => source));
  const onDisk = sourceFiles(['protocol', 'packages', 'test']);
  if (onDisk.length < 20) return [`only ${onDisk.length} source files found: the check itself is broken`];
  return onDisk.filter((file) => !read.has(file)).map((file) => `not read by the cruiser: ${file}`);
}

function isOurs({ source }) {
  return source.endsWith('.ts') && !source.includes('node_modules/');
}

/** Rules without a plant, and rules that do not find theirs. */
async function toothless() {
  const unplanted = forbidden
    .filter(({ name }) => !(name in plants))
    .map(({ name }) => `rule ${name} has no planted violation`);
  const folder = mkdtempSync(join(tmpdir(), 'zerd-layers-'));
  try {
    const edges = [wayBack, ...Object.values(plants).flat()];
    for (const [file, target] of edges) if (target.startsWith('.')) plant(folder, join(dirname(file), target), '');
    plant(folder, 'node_modules/heavy/index.js', 'export const x = 1;\n');
    plant(
      folder,
      'node_modules/heavy/package.json',
      '{"name":"heavy","version":"1.0.0","type":"module","main":"index.js"}',
    );
    rmSync(join(folder, 'packages/core/src/nowhere.ts'));
    for (const [file, target] of edges)
      plant(folder, file, `import type { X } from '${target}';\nexport type Y = X;\n`);
    const { summary } = await cruiseTree(folder, ['protocol', 'packages']);
    const missed = Object.entries(plants).flatMap(([name, imports]) =>
      imports
        .filter(([file]) => !summary.violations.some((found) => found.rule.name === name && found.from === file))
        .map(([file, target]) => `rule ${name} does not see ${file} import ${target}`),
    );
    return [...unplanted, ...missed];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function plant(folder, file, text) {
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
