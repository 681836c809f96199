/** What the checks look at, and how each says its verdict: one line, findings before it. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..');

const skipped = new Set(['node_modules', 'dist', 'coverage', '.turbo', '.git', 'fixtures', 'sample']);

/** Files with one of the extensions under the folders, relative to the root, sorted; nothing built or fetched. */
export function sourceFiles(folders, extensions = ['.ts']) {
  return folders
    .flatMap((folder) => walk(folder))
    .filter((file) => extensions.some((end) => file.endsWith(end)))
    .sort();
}

function walk(folder) {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  return entries.flatMap((entry) => {
    const path = folder === '.' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : walk(path);
    return entry.isFile() ? [path] : [];
  });
}

export function pass(name, says) {
  console.log(`${name}: ok, ${says}`);
}

/** Ends the process. */
export function fail(name, findings) {
  for (const finding of findings) console.log(finding);
  console.log(`${name}: FAILED, ${findings.length} finding${findings.length === 1 ? '' : 's'}`);
  process.exit(1);
}
