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
  /** Why the record counts for nothing; undefined: there is none, or it counts. */
  broken(): string | undefined;
  set(trusted: boolean): Promise<void>;
}

/** `root` is the real path of the workspace, `stateFolder` the user's private folder for it. */
export function openTrust(stateFolder: string, root: string): Trust {
  const file = join(stateFolder, 'trust.json');
  return {
    trusted: () => read(file, root) === 'trusted',
    broken() {
      const found = read(file, root);
      return typeof found === 'string' ? undefined : found.broken;
    },
    async set(trusted) {
      if (!trusted) return rm(file, { force: true });
      await mkdir(stateFolder, { recursive: true, mode: 0o700 });
      await writeFile(file, `${JSON.stringify({ root, trusted: true })}\n`, { mode: 0o600 });
    },
  };
}

/** What cannot be read says no more than what is not there. */
function read(file: string, root: string): 'trusted' | 'none' | { readonly broken: string } {
  try {
    const record: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof record !== 'object' || record === null || !('root' in record)) return brokenRecord(file, 'is broken');
    return record.root === root ? 'trusted' : 'none';
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'none';
    return brokenRecord(file, code === undefined ? 'is broken' : `cannot be read (${String(code)})`);
  }
}

function brokenRecord(file: string, what: string): { readonly broken: string } {
  return { broken: `${file}, which holds your word, ${what}, and was left as it is.` };
}
