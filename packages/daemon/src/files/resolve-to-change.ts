/**
 * Says which real file a path of the model means that is to be written. Invariant: whoever was asked about the path was
 * asked about the place: no link leads into git's own folder unnamed.
 */
import { namesGit } from '@zerd/core/permissions/git-folder';
import { type RefusedPath, type ResolvedPath, resolvePath } from './resolve.ts';

export async function resolveToChange(root: string, path: string): Promise<ResolvedPath | RefusedPath> {
  const target = await resolvePath(root, path);
  if (!target.ok || !namesGit(target.path) || namesGit(path)) return target;
  const message = `${path} leads by a link to ${target.path}. Nothing was done; name what belongs to git by that path.`;
  return { ok: false, code: 'invalid', message };
}
