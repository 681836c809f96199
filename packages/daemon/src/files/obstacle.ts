/** Says, before a file is changed, what would keep it from that. Changes nothing. */
import type { Stats } from 'node:fs';
import { access, constants, lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describeFsFailure, errorCode } from './fs-failure.ts';
import { readOnly } from './written.ts';

/** `real` is a resolved path, `path` its name for people. `how`: its content changes, or the file comes or goes. */
export async function obstacle(real: string, path: string, how: 'overwrite' | 'name'): Promise<string | undefined> {
  try {
    if (how === 'overwrite') return (await refusalToOverwrite(real, path))?.message;
    await access(await nearestFolder(dirname(real)), constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const message = describeFsFailure(error, path);
    if (message === undefined) throw error;
    return message;
  }
}

/** Rejects with what the file system says. `stats`: of the file, if they are known. */
export async function refusalToOverwrite(real: string, path: string, stats?: Stats) {
  const { mode } = stats ?? (await lstat(real));
  // Not left to the system: root passes every mode.
  if ((mode & 0o222) === 0) return readOnly(path, mode);
  await access(real, constants.W_OK);
  return undefined;
}

/** The folders between it and the file would be made. */
async function nearestFolder(folder: string): Promise<string> {
  try {
    await lstat(folder);
    return folder;
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || folder === dirname(folder)) throw error;
    return nearestFolder(dirname(folder));
  }
}
