/**
 * Says in words what is wrong with an installation, before anything is opened. Invariant: a package that came without its
 * compiled part, for another Node or with other files than were published never becomes a daemon that half works (S-66,
 * S-67).
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { types } from 'node:util';
import { ZerdError } from '@zerd/protocol/common/errors';

const require = createRequire(import.meta.url);

/** Throws installation_broken. Takes about ten milliseconds. */
export async function checkInstallation(): Promise<void> {
  checkFiles(dirname(fileURLToPath(import.meta.url)));
  checkStorePackage();
  await import('@vscode/ripgrep').catch((error: unknown) => {
    const remedy = 'Install zerd again without --omit=optional.';
    throw broken(`ripgrep is missing: ${messageOf(error)}`, remedy);
  });
}

/** In a published package the files are as they were packed; what is run from its sources has no such list. */
function checkFiles(folder: string): void {
  const list = join(folder, 'files.json');
  if (!existsSync(list)) return;
  const hashes = JSON.parse(readFileSync(list, 'utf8')) as Readonly<Record<string, string>>;
  for (const [name, hash] of Object.entries(hashes)) {
    const file = join(folder, name);
    if (existsSync(file) && createHash('sha256').update(readFileSync(file)).digest('hex') === hash) continue;
    throw broken(`${file} is not the file that was published`, 'Install zerd again.');
  }
}

function checkStorePackage(): void {
  const { version, folder } = storePackage();
  const { node } = process.versions;
  // Loading it there would end the process without a word.
  if (Number.parseInt(version, 10) >= 13 && Number.parseInt(node, 10) < 22)
    throw broken(
      `better-sqlite3 ${version} needs Node 22 or newer and this is ${node}`,
      'Install zerd again with the Node that runs it.',
    );
  try {
    const Database = require('better-sqlite3') as typeof import('better-sqlite3');
    new Database(':memory:').close();
  } catch (error) {
    throw broken(whyUnloadable(messageOf(error)), howToCompile(folder));
  }
}

/** The package and the folder that it was installed into. */
function storePackage(): { readonly version: string; readonly folder: string } {
  try {
    const { version } = require('better-sqlite3/package.json') as { readonly version: string };
    return { version, folder: dirname(dirname(dirname(require.resolve('better-sqlite3/package.json')))) };
  } catch {
    throw broken('the package better-sqlite3 is missing', 'Install zerd again.');
  }
}

function whyUnloadable(message: string): string {
  if (message.includes('NODE_MODULE_VERSION'))
    return `better-sqlite3 was compiled for another Node than this one (${process.versions.node})`;
  if (/bindings|Cannot find module|no such file/i.test(message))
    return 'better-sqlite3 has no compiled part: it was installed without its install script, or offline';
  return `better-sqlite3 cannot be loaded: ${message.split('\n')[0]}`;
}

function howToCompile(folder: string): string {
  return (
    `Run \`cd '${folder}' && npm rebuild better-sqlite3 --ignore-scripts=false --foreground-scripts\`. ` +
    'Where no binary can be fetched it compiles: about two minutes, with make, Python 3 and a C++ compiler.'
  );
}

function broken(what: string, remedy: string): ZerdError {
  return new ZerdError('installation_broken', `The installation is not whole: ${what}. Nothing was started. ${remedy}`);
}

function messageOf(error: unknown): string {
  return types.isNativeError(error) ? error.message : String(error);
}
