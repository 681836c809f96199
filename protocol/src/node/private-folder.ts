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
    makeMissing(each);
    makePrivate(each);
  }
}

/** Node's own recursion hides why (a read-only disk is told as ENOENT), and below /proc it never ends. */
function makeMissing(folder: string): void {
  if (make(folder) !== 'nothing above') return;
  if (dirname(folder) !== folder) makeMissing(dirname(folder));
  // Another client may have made it meanwhile; where nothing can be made, this says so.
  if (make(folder) !== 'there') mkdirSync(folder, { mode: 0o700 });
}

/** Throws what else the system refuses. */
function make(folder: string): 'there' | 'nothing above' {
  try {
    mkdirSync(folder, { mode: 0o700 });
    return 'there';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return 'there';
    if (code === 'ENOENT') return 'nothing above';
    throw error;
  }
}

function makePrivate(folder: string): void {
  const found = lstatSync(folder);
  if (!found.isDirectory()) throw unsafe(folder, 'is not a folder of its own (a symlink, or a file)');
  if (found.uid !== process.geteuid?.()) throw unsafe(folder, `belongs to user ${found.uid}`);
  if ((found.mode & 0o777) !== 0o700) chmodSync(folder, 0o700);
}

function unsafe(folder: string, why: string): ZerdError {
  return new ZerdError('store_unsafe', `${folder} ${why}. Nothing was written there; move it away and try again.`);
}
