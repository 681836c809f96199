/**
 * Creates a file with the folders that it needs. Invariant: the name appears with all of its bytes or not at all, and
 * a file that has the name already is never touched.
 */
import { link, lstat, mkdir, realpath, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from './fs-failure.ts';
import { hashOf } from './load-file.ts';
import { makeFile } from './make-file.ts';
import { syncFolder, temporaryIn } from './temporary.ts';
import { changed, type WriteWish, type Written } from './written.ts';

export async function createFile(wish: WriteWish): Promise<Written> {
  const folder = dirname(wish.real);
  const firstMade = await mkdir(folder, { recursive: true });
  if ((await realpath(folder)) !== folder) return changed(wish.path);
  const temporary = temporaryIn(folder);
  try {
    await makeFile(temporary, wish.bytes);
    await wish.onStep?.('prepared');
    wish.signal.throwIfAborted();
    if (!(await putNew(temporary, wish.real))) return changed(wish.path);
  } finally {
    await rm(temporary, { force: true });
  }
  await wish.onStep?.('replaced');
  const made = foldersMade(folder, firstMade);
  await syncFolder(folder);
  for (const at of made) await syncFolder(dirname(at));
  return { ok: true, hash: hashOf(wish.bytes), ...(made.length > 0 && { madeFolders: made.length }) };
}

/** Gives the file its name unless something has that name already: false. */
async function putNew(temporary: string, real: string): Promise<boolean> {
  try {
    await link(temporary, real);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
  }
  // A file system without hard links.
  if (await lstat(real).catch(() => undefined)) return false;
  await rename(temporary, real);
  return true;
}

/** From the innermost one. */
function foldersMade(folder: string, firstMade: string | undefined): readonly string[] {
  if (firstMade === undefined) return [];
  const made: string[] = [];
  for (let at = folder; at !== dirname(firstMade) && at !== dirname(at); at = dirname(at)) made.push(at);
  return made;
}
