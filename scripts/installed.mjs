/**
 * Says whether the installed packages are those of the lock and fit this Node: `whole`, `other-node` (the native module
 * was compiled for another one) or `missing`. It compares what npm noted in node_modules, so any way of installing counts.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from './tree.mjs';

console.log(state());

function state() {
  const installed = packagesOf('node_modules/.package-lock.json');
  const locked = packagesOf('package-lock.json');
  if (installed === undefined || locked === undefined) return 'missing';
  const wanted = Object.entries(locked).filter(([path, entry]) => path.startsWith('node_modules/') && !entry.link);
  // Optional packages may be for another platform; npm leaves out what it marks as extraneous.
  const spared = ({ optional, extraneous }) => optional === true || extraneous === true;
  const fits = ([path, entry]) =>
    installed[path] === undefined ? spared(entry) : installed[path].version === entry.version;
  return wanted.every(fits) ? stateOfNative() : 'missing';
}

/** The packages of a lock file by path; undefined when there is none (an install that broke off leaves none). */
function packagesOf(file) {
  const path = join(root, file);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).packages : undefined;
}

function stateOfNative() {
  try {
    const Database = createRequire(import.meta.url)('better-sqlite3');
    new Database(':memory:').close();
    return 'whole';
  } catch (error) {
    return /NODE_MODULE_VERSION/.test(error.message) ? 'other-node' : 'missing';
  }
}
