/**
 * Removes folders that were made for files which are gone again. Invariant: only what is empty at this very moment goes, and
 * nothing behind a link; what cannot go stays.
 */
import { rmdir } from 'node:fs/promises';
import { resolveToChange } from '../../files/resolve-to-change.ts';

/** `folders`: relative to the root, the innermost first. */
export async function removeEmpty(root: string, folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    const target = await resolveToChange(root, folder);
    if (target.ok && target.path === folder) await rmdir(target.real).catch(() => undefined);
  }
}
