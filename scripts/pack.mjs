/**
 * Assembles the published package `zerd` in dist/package and packs it: two commands, the bundle of the client, the bundle
 * of the daemon, and as dependencies only what cannot be bundled. Invariant: nothing of it runs at its own installation,
 * and every file that is run is named with its hash. `npm run pack` builds first.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { noticesOf } from './pack/notices.mjs';
import { packageReadme } from './pack/readme.mjs';
import { root } from './tree.mjs';

const target = join(root, 'dist/package');
const cli = readJson('packages/cli/package.json');
const daemon = readJson('packages/daemon/package.json');
const bundles = [
  readJson('packages/cli/dist/zerd.meta.json'),
  readJson('packages/cli/dist/cost-page.meta.json'),
  readJson('packages/tui/dist/bundle.meta.json'),
  readJson('packages/acp/dist/acp.meta.json'),
  readJson('packages/daemon/dist/bundle.meta.json'),
];

/** Version 12 is for Node 20 and is compiled there; version 13 brings binaries and needs Node 22. The same interface. */
const ranges = { 'better-sqlite3': '^12.11.1 || ^13.2.0' };

rmSync(target, { recursive: true, force: true });
mkdirSync(join(target, 'dist'), { recursive: true });
copy('packages/cli/bin', 'bin');
copy('packages/cli/dist/zerd.cjs', 'dist/zerd.cjs');
copy('packages/cli/dist/cost-page.html', 'dist/cost-page.html');
copy('packages/daemon/dist/bundle', 'dist/zerdd');
copy('packages/tui/dist/bundle', 'dist/tui');
replaceIn('bin/zerd.js', '../../tui/dist/bundle/', '../dist/tui/');
replaceIn('dist/tui/tui.js', '../../../cli/bin/zerdd.js', '../../bin/zerdd.js');
copy('packages/acp/dist/acp.mjs', 'dist/acp.mjs');
replaceIn('bin/zerd.js', '../../acp/dist/', '../dist/');
replaceIn('dist/acp.mjs', '../../cli/bin/zerdd.js', '../bin/zerdd.js');
replaceIn('bin/zerdd.js', '../../daemon/dist/bundle/', '../dist/zerdd/');
copy('LICENSE', 'LICENSE');
write('THIRD-PARTY-NOTICES.md', noticesOf(bundles));
write('README.md', packageReadme(readFileSync(join(root, 'README.md'), 'utf8')));
write('package.json', `${JSON.stringify(manifest(), null, 2)}\n`);
write('dist/zerdd/files.json', `${JSON.stringify(hashes(), null, 2)}\n`);

const packed = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', join(root, 'dist')], {
  cwd: target,
  encoding: 'utf8',
});
const [{ filename, size, unpackedSize }] = JSON.parse(packed);
const mb = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
console.log(`dist/${filename}: ${mb(size)}, ${mb(unpackedSize)} unpacked`);

function manifest() {
  const { version, license, bin } = cli;
  const { description, engines } = readJson('package.json');
  return {
    name: 'zerd',
    version,
    description,
    license,
    type: 'module',
    bin,
    engines,
    os: ['linux'],
    files: ['bin', 'dist', 'THIRD-PARTY-NOTICES.md'],
    dependencies: dependencies(),
    // Refuses to be published from anywhere but a build that can say where it comes from.
    publishConfig: { access: 'public', provenance: true },
  };
}

/** What the bundles import from outside, at the versions of the daemon. */
function dependencies() {
  const imported = bundles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap(({ imports }) => imports)
    .filter(({ external, path }) => external && !isBuiltin(path))
    .map(({ path }) => path);
  return Object.fromEntries([...new Set(imported)].sort().map((name) => [name, rangeOf(name)]));
}

function isBuiltin(name) {
  return name.startsWith('node:') || process.getBuiltinModule?.(name) !== undefined;
}

function rangeOf(name) {
  const pinned = daemon.dependencies[name];
  if (pinned === undefined) throw new Error(`the bundles import ${name}, which the daemon does not depend on`);
  const range = ranges[name] ?? pinned;
  if (!range.includes(pinned)) throw new Error(`${name}: the range ${range} leaves out what is tested, ${pinned}`);
  return range;
}

/** Of everything that runs, by its path from the daemon's bundle, which checks them at its start. */
function hashes() {
  const names = ['bin', 'dist'].flatMap((folder) =>
    readdirSync(join(target, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(target.length + 1)),
  );
  const hash = (name) =>
    createHash('sha256')
      .update(readFileSync(join(target, name)))
      .digest('hex');
  return Object.fromEntries(names.sort().map((name) => [`../../${name}`, hash(name)]));
}

function readJson(file) {
  return JSON.parse(readFileSync(join(root, file), 'utf8'));
}

function copy(from, to) {
  cpSync(join(root, from), join(target, to), { recursive: true });
}

function write(name, text) {
  writeFileSync(join(target, name), text);
}

function replaceIn(name, text, by) {
  const before = readFileSync(join(target, name), 'utf8');
  if (!before.includes(text)) throw new Error(`${name} has no ${text}`);
  write(name, before.replace(text, by));
}
