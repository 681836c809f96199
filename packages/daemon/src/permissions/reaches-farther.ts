/**
 * Does: looks whether a command that may run unasked would reach farther than it says: out of the repository by a link,
 * or into a program that the repository names for git to run. Reads only.
 */
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Reach } from '@zerd/core/permissions/commands/judge-command';
import { type RefusedPath, type ResolvedPath, resolvePath } from '../files/resolve.ts';
import { git } from '../processes/git.ts';

/** What it would reach; undefined: no farther than it should. `root` is the real path of the workspace. */
export async function reachesFarther(root: string, { paths, files, git: asksGit }: Reach): Promise<string | undefined> {
  const resolved = await Promise.all(paths.map((path) => resolvePath(root, path)));
  if (resolved.some(({ ok }) => !ok)) return 'the command looks at what is outside the repository';
  const kinds = await Promise.all(resolved.map(kindOf));
  if (kinds.includes('other')) return 'the command looks at what is no file and may never end (a pipe, a device)';
  if (kinds.some((kind, n) => kind === 'folder' && files.includes(paths[n] ?? '')))
    return 'the command compares what is in folders, also where links in them lead';
  if (asksGit && (await namesPrograms(root))) return 'the settings of the repository name programs for git to run';
  return undefined;
}

/** What is not there is missed by the command too. */
async function kindOf(path: ResolvedPath | RefusedPath): Promise<'file' | 'folder' | 'other'> {
  const found = path.ok && path.exists ? await stat(path.real).catch(() => undefined) : undefined;
  if (found?.isDirectory()) return 'folder';
  return found === undefined || found.isFile() ? 'file' : 'other';
}

/**
 * Those against which an environment is no help: filters, converters, diff programs and signatures by name. Submodules
 * have settings of their own, and git looks into them without what it was told for the outer one. And another folder than
 * this one as what git looks at.
 */
const programs = '^(filter|diff|gpg|submodule)\\.|^log\\.showsignature$|^core\\.worktree$';

async function namesPrograms(root: string): Promise<boolean> {
  if (existsSync(join(root, '.gitmodules'))) return true;
  const found = await git(root, ['config', '--show-scope', '--name-only', '--get-regexp', programs]);
  return found === undefined || /^(?:local|worktree)\t/m.test(found);
}
