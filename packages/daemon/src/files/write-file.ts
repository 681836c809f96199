/**
 * Writes a file so that a crash leaves the old bytes or the new ones: a temporary file beside the target, synced, then
 * put in its place, and the folder synced. Invariant: a target is replaced only while it still is what the caller saw,
 * checked right before; mode, owner and extended attributes stay. Where a file cannot be replaced, or has more names
 * than one, it is overwritten in place after its old content is archived.
 */
import { lstat, realpath, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createFile } from './create-file.ts';
import { describeFsFailure, errorCode } from './fs-failure.ts';
import { hashOf, maxLoadedBytes, readAll, withFile } from './load-file.ts';
import { makeFile } from './make-file.ts';
import { refusalToOverwrite } from './obstacle.ts';
import { overwrite } from './overwrite.ts';
import { syncFolder, temporaryIn } from './temporary.ts';
import { changed, interrupted, type WriteWish, type Written } from './written.ts';

export async function writeFile(wish: WriteWish): Promise<Written> {
  try {
    wish.signal.throwIfAborted();
    return wish.expected === undefined ? await createFile(wish) : await replace(wish, wish.expected);
  } catch (error) {
    if (wish.signal.aborted && error === wish.signal.reason) return interrupted(wish.path);
    const message = describeFsFailure(error, wish.path);
    if (message === undefined) throw error;
    return { ok: false, interrupted: false, message: `${message} Nothing was changed.` };
  }
}

async function replace(wish: WriteWish, expected: string): Promise<Written> {
  const stats = await lstat(wish.real);
  const refusal = await refusalToOverwrite(wish.real, wish.path, stats);
  if (refusal !== undefined) return refusal;
  if (stats.nlink > 1) return overwrite(wish, expected, `it has ${stats.nlink} names (hard links)`);
  try {
    return await swapIn(wish, expected);
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EBUSY'].includes(errorCode(error))) throw error;
    return overwrite(wish, expected, 'its folder lets no file be replaced');
  }
}

async function swapIn(wish: WriteWish, expected: string): Promise<Written> {
  const folder = dirname(wish.real);
  const temporary = temporaryIn(folder);
  try {
    await makeFile(temporary, wish.bytes, wish.real);
    await wish.onStep?.('prepared');
    wish.signal.throwIfAborted();
    if (!(await isStill(wish.real, expected))) return changed(wish.path);
    await rename(temporary, wish.real);
  } finally {
    await rm(temporary, { force: true });
  }
  await wish.onStep?.('replaced');
  await syncFolder(folder);
  return { ok: true, hash: hashOf(wish.bytes) };
}

async function isStill(real: string, expected: string): Promise<boolean> {
  if ((await realpath(dirname(real))) !== dirname(real)) return false;
  try {
    const bytes = await withFile(real, (file) => readAll(file, maxLoadedBytes));
    return bytes !== undefined && hashOf(bytes) === expected;
  } catch (error) {
    if (['ENOENT', 'ELOOP'].includes(errorCode(error))) return false;
    throw error;
  }
}
