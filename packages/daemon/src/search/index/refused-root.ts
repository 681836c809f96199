/** Decides which roots are not indexed unless told: the home folder and whatever holds it, up to `/`. */
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { isWithin } from '../../files/resolve.ts';

/** `root` is a real path. */
export function isRefusedRoot(root: string, home = homedir()): boolean {
  return root === '/' || isWithin(root, realOf(home));
}

function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
