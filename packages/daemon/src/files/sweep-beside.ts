/** Removes what dead writers left beside files that they may have been writing: each folder is looked at once. */
import { dirname } from 'node:path';
import { resolvePath } from './resolve.ts';
import { sweepTemporaries } from './temporary.ts';

export async function sweepBeside(root: string, paths: readonly string[]): Promise<void> {
  const folders = new Set<string>();
  for (const path of paths) {
    const target = await resolvePath(root, path);
    if (target.ok) folders.add(dirname(target.real));
  }
  for (const folder of folders) await sweepTemporaries(folder);
}
