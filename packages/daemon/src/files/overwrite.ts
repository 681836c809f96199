/**
 * Overwrites a file in place, for files that cannot be replaced: every name and the inode stay. Invariant: the old
 * content is in the archive before the first byte changes; if writing fails it is put back.
 */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { describeFsFailure } from './fs-failure.ts';
import { hashOf, maxLoadedBytes, readAll } from './load-file.ts';
import { changed, type WriteWish, type Written } from './written.ts';

/** `why` ends the sentence "written in place because". */
export async function overwrite(wish: WriteWish, expected: string, why: string): Promise<Written> {
  const file = await open(wish.real, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const before = await readAll(file, maxLoadedBytes);
    if (before === undefined || hashOf(before) !== expected) return changed(wish.path);
    const id = (await wish.archive.put(before)).slice(0, 12);
    await wish.onStep?.('archived');
    wish.signal.throwIfAborted();
    const now = await readAll(file, maxLoadedBytes);
    if (now === undefined || hashOf(now) !== expected) return changed(wish.path);
    return await writeOver(file, before, wish, { id, why });
  } finally {
    await file.close();
  }
}

async function writeOver(
  file: FileHandle,
  before: Buffer,
  wish: WriteWish,
  { id, why }: { readonly id: string; readonly why: string },
): Promise<Written> {
  try {
    await put(file, wish.bytes);
  } catch (error) {
    const reason = describeFsFailure(error, wish.path);
    if (reason === undefined) throw error;
    const restored = await put(file, before).then(
      () => 'Its old content was put back',
      () => 'It may be half written; its old content is safe',
    );
    return { ok: false, interrupted: false, message: `${reason} ${restored}, archived as ${id}.` };
  }
  await wish.onStep?.('replaced');
  const note = `Written in place because ${why}; the old content is archived as ${id}.`;
  return { ok: true, hash: hashOf(wish.bytes), note };
}

async function put(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await file.write(bytes, done, bytes.length - done, done)).bytesWritten;
  }
  await file.truncate(bytes.length);
  await file.sync();
}
