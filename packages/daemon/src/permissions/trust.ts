/**
 * Does: keeps the user's word that this repository may be read and run. Invariant (I7): the record lies in the user's
 * state folder and names the real path of the workspace; no byte of a repository is read for it. A copied, moved or
 * unreadable record means: not trusted.
 */
import { readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Trust {
  trusted(): boolean;
  set(trusted: boolean): Promise<void>;
}

/** `root` is the real path of the workspace, `stateFolder` the user's private folder for it. */
export function openTrust(stateFolder: string, root: string): Trust {
  const file = join(stateFolder, 'trust.json');
  return {
    trusted: () => names(file, root),
    async set(trusted) {
      if (!trusted) return rm(file, { force: true });
      await mkdir(stateFolder, { recursive: true, mode: 0o700 });
      await writeFile(file, `${JSON.stringify({ root, trusted: true })}\n`, { mode: 0o600 });
    },
  };
}

function names(file: string, root: string): boolean {
  try {
    const record: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return typeof record === 'object' && record !== null && 'root' in record && record.root === root;
  } catch {
    // Absent or unreadable: the safe answer is the same.
    return false;
  }
}
