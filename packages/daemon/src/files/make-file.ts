/** Makes a new file with its bytes safe on the disk, like another file where one is given. Never opens what exists. */
import { execFile } from 'node:child_process';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { promisify } from 'node:util';

/** `like`: an existing file whose mode, owner and extended attributes the new one gets, as far as the system permits. */
export async function makeFile(file: string, bytes: Buffer, like?: string): Promise<void> {
  const handle = await open(file, 'wx', like === undefined ? 0o666 : 0o600);
  try {
    if (like !== undefined) await copyAttributes(like, file);
    await handle.writeFile(bytes);
    if (like !== undefined) await copyOwnerAndMode(like, handle);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Access lists and other extended attributes, which Node cannot copy. Best effort: where there is no GNU cp or the file
 * system has no attributes, the file keeps its owner and mode all the same.
 */
async function copyAttributes(from: string, to: string): Promise<void> {
  if (process.platform !== 'linux') return;
  const args = ['--attributes-only', '--preserve=all', '--', from, to];
  await promisify(execFile)('/bin/cp', args, { env: { LC_ALL: 'C' }, timeout: 5_000 }).catch(() => undefined);
}

/** After the bytes: writing and chown take the set-id bits away. They go for good when the owner cannot be kept. */
async function copyOwnerAndMode(like: string, handle: FileHandle): Promise<void> {
  const { uid, gid, mode } = await stat(like);
  const kept = await handle.chown(uid, gid).then(
    () => true,
    () => false,
  );
  await handle.chmod(mode & (kept ? 0o7777 : 0o1777));
}
