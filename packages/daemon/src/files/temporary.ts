/** The two things around a replaced file: a temporary name beside it, and its folder safe on the disk. */
import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';

/** In the target's own folder, so that it is on the same file system; never a name that exists. */
export function temporaryIn(folder: string): string {
  return join(folder, `.zerd-${randomBytes(8).toString('hex')}.tmp`);
}

/** The file is in its place already: where a folder cannot be synced, a crash may still bring the old state back. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder).catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
