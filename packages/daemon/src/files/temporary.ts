/** What is around a replaced file: a temporary name beside it, what dead writers left, and its folder safe on the disk. */
import { randomBytes } from 'node:crypto';
import { open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isLeftByDead } from '../base/is-alive.ts';

/** The pid and a mark of this very process: a pid may come again. */
const ownPrefix = `.zerd-${process.pid}-${randomBytes(4).toString('hex')}-`;

/** In the target's own folder, so that it is on the same file system; never a name that exists. */
export function temporaryIn(folder: string): string {
  return join(folder, `${ownPrefix}${randomBytes(8).toString('hex')}.tmp`);
}

/** Removes the temporary files of processes that are dead; what cannot be removed stays. */
export async function sweepTemporaries(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (isLeftByDead(name, /^\.zerd-([1-9][0-9]*)-[0-9a-f]{8}-[0-9a-f]{16}\.tmp$/, ownPrefix))
      await rm(join(folder, name), { force: true }).catch(() => undefined);
  }
}

/** The file is in its place already: where a folder cannot be synced, a crash may still bring the old state back. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder).catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
