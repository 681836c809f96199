/** Decides which files a query is about. Undefined: the index does not know that part of the tree. */
import { stat } from 'node:fs/promises';
import type { SearchQuery } from '../../base/ports.ts';
import { resolvePath } from '../../files/resolve.ts';
import { acceptedGlob } from '../scope.ts';
import { globsOfType } from './file-types.ts';
import { shownPath } from './path-key.ts';
import type { InScope } from './select-candidates.ts';

export interface QueryScope {
  /** For ripgrep: './' and a folder. */
  readonly target: string;
  /** '' or a folder with a slash behind. */
  readonly folder: string;
  /** Undefined: all files. */
  readonly inScope: InScope | undefined;
}

export async function scopeOf(root: string, query: SearchQuery): Promise<QueryScope | undefined> {
  const folder = query.path === undefined ? '' : await folderOf(root, query.path);
  if (folder === undefined) return undefined;
  const tests: InScope[] = [];
  if (folder !== '') tests.push((path) => path.startsWith(folder));
  if (query.glob !== undefined) tests.push(byShownPath(acceptedGlob(query.glob).matches));
  if (query.type !== undefined) {
    const globs = await globsOfType(query.type);
    if (globs === undefined) return undefined;
    tests.push(byShownPath((path) => globs.some((glob) => glob.matches(path))));
  }
  const inScope = tests.length === 0 ? undefined : (path: string) => tests.every((test) => test(path));
  return { target: `./${folder.slice(0, -1)}`, folder, inScope };
}

function byShownPath(matches: (path: string) => boolean): InScope {
  return (path) => matches(shownPath(path));
}

async function folderOf(root: string, path: string): Promise<string | undefined> {
  const resolved = await resolvePath(root, path);
  if (!resolved.ok || !resolved.exists) return undefined;
  if (resolved.path === '.') return '';
  const stats = await stat(resolved.real).catch(() => undefined);
  return stats?.isDirectory() === true ? `${resolved.path}/` : undefined;
}
