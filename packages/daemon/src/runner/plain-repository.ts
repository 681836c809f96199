/**
 * Reads what an ordinary repository says of itself in two small files, which saves two processes before each first
 * request. Invariant: whatever is not plain (worktrees, included settings, filters, odd names, no regular files) is left
 * to git, so that the answer is git's own or none.
 */
import { constants, open } from 'node:fs/promises';
import { join } from 'node:path';

export interface PlainRepository {
  /** Empty: none. */
  readonly branch: string;
  /** Whether files may be compared: the repository's own settings name no filter that git would run for it. */
  readonly compares: boolean;
}

/** Undefined: ask git. */
export async function plainRepository(root: string): Promise<PlainRepository | undefined> {
  const [head, config] = await Promise.all(['HEAD', 'config'].map((name) => readSmall(join(root, '.git', name))));
  const [, branch] = /^ref: refs\/heads\/([\w./-]+)\n$/.exec(head ?? '') ?? [];
  // `.invalid` stands where references are not files.
  if (branch === undefined || branch === '.invalid') return undefined;
  return config === undefined || /filter|include|worktreeconfig/i.test(config) ? undefined : { branch, compares: true };
}

/** More than such a file ever has is not plain. */
const mostBytes = 64 * 1024;

/** Undefined when it is not a regular file of that size; a pipe of that name is not waited for. */
async function readSmall(file: string): Promise<string | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(file, flags).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const found = await handle.stat();
    return found.isFile() && found.size <= mostBytes ? await handle.readFile('utf8') : undefined;
  } catch {
    // It went away meanwhile: git will say.
    return undefined;
  } finally {
    await handle.close();
  }
}
