/**
 * Puts into words that a folder of zerd cannot be used: which, why, and what to do. Invariant: the system's own error, with
 * its code, stays behind it as its cause, and a full disk is told as one.
 */
import { types } from 'node:util';
import { ZerdError } from '../common/errors.ts';

export type FolderRole = 'runtime' | 'state';

/** Runs `work` in the folder; what the system refuses is thrown as daemon_unavailable or disk_full. */
export function inFolder<T>(role: FolderRole, folder: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw isRefusal(error) ? folderFailure(role, folder, error) : error;
  }
}

type Refusal = Error & { readonly code: string; readonly path?: string };

/** What the system said: not a ZerdError, which has its own words, and no defect. */
function isRefusal(error: unknown): error is Refusal {
  return types.isNativeError(error) && 'syscall' in error && 'code' in error && typeof error.code === 'string';
}

const variable: Readonly<Record<FolderRole, string>> = { runtime: 'XDG_RUNTIME_DIR', state: 'XDG_STATE_HOME' };

const words: Readonly<Record<string, string>> = {
  ENOENT: 'it cannot be made there',
  ENOTDIR: 'a file stands where a folder should be',
  EACCES: 'you may not write there',
  EPERM: 'the system does not permit it',
  EROFS: 'its disk is read-only',
  ENOSPC: 'its disk is full',
  EDQUOT: 'your share of its disk is used up',
};

function folderFailure(role: FolderRole, folder: string, error: Refusal): ZerdError {
  const { code, path = folder } = error;
  const full = code === 'ENOSPC' || code === 'EDQUOT';
  const why = `${path}: ${words[code] ?? 'the system refuses it'} (${code})`;
  const elsewhere = `set ${variable[role]} to a folder of your own on a disk that can be written`;
  const todo = full ? `Free space there, or ${elsewhere}` : `Mend its permissions, or ${elsewhere}`;
  return new ZerdError(
    full ? 'disk_full' : 'daemon_unavailable',
    `The ${role} folder ${folder} cannot be used. ${why}. Nothing was started or changed. ${todo}.`,
    { cause: error },
  );
}
