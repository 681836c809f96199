/** Names the very program that runs, so that what only the same program may read again is never read by another. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Undefined: it runs from files that change one by one. Costs some milliseconds, once. */
export function buildName(folder = dirname(fileURLToPath(import.meta.url))): string | undefined {
  if (!existsSync(join(folder, 'zerdd.js'))) return undefined;
  const hash = createHash('sha256');
  for (const name of readdirSync(folder).sort()) {
    if (name.endsWith('.js'))
      hash
        .update(name)
        .update('\0')
        .update(readFileSync(join(folder, name)));
  }
  return hash.digest('hex').slice(0, 32);
}
