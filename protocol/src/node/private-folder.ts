/**
 * Makes folders that only their user can enter: mode 0700 whatever the umask. Invariant: a folder of zerd is never a
 * symlink and never another user's; one that is makes everything refuse, since others could put files there.
 */
import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { ZerdError } from '../common/errors.ts';

/** Makes `folder` and its parent (the `zerd` folder of all repositories) private; what lies above is made if missing. */
export function makePrivateFolder(folder: string): void {
  for (const each of [dirname(folder), folder]) {
    make(each);
    makePrivate(each);
  }
}

function make(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    // Node says ENOENT of a disk that is read-only, so the code alone explains nothing.
    const { code = String(error) } = error as NodeJS.ErrnoException;
    const why = `cannot be made (${code}): its disk is read-only or full, or what lies above is not yours`;
    throw unsafe(folder, why, 'make room for it');
  }
}

function makePrivate(folder: string): void {
  const found = lstatSync(folder);
  if (!found.isDirectory()) throw unsafe(folder, 'is not a folder of its own (a symlink, or a file)');
  if (found.uid !== process.geteuid?.()) throw unsafe(folder, `belongs to user ${found.uid}`);
  if ((found.mode & 0o777) !== 0o700) chmodSync(folder, 0o700);
}

function unsafe(folder: string, why: string, todo = 'move it away'): ZerdError {
  return new ZerdError('store_unsafe', `${folder} ${why}. Nothing was written there; ${todo} and try again.`);
}
