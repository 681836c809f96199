/** Puts a private file of zerd's own in the place of an older one: old or new, never a part. */
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder, temporaryIn } from './temporary.ts';

/** Durable when the promise settles; rejects with the system's error, and the old one is there still. */
export async function replaceFile(file: string, text: string): Promise<void> {
  const folder = dirname(file);
  const temporary = temporaryIn(folder);
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(folder);
}
