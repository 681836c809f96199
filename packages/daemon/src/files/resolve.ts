/**
 * Says which real file a path of the model means. Every symbolic link is followed by hand, also where the rest of the
 * path does not exist yet. Invariant: `real` holds no link and no '..', and is the root or below it.
 */
import { lstat, readlink } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { errorCode } from './fs-failure.ts';

export interface ResolvedPath {
  readonly ok: true;
  /** The real absolute path, where the file is or would be. */
  readonly real: string;
  /** The same relative to the root, with forward slashes; '.' is the root. The key of what the model has seen. */
  readonly path: string;
  readonly exists: boolean;
}

export interface RefusedPath {
  readonly ok: false;
  readonly code: 'folder_missing' | 'outside' | 'invalid';
  /** For the model: what is wrong and what to do. */
  readonly message: string;
}

/** `root` is the real path of the workspace. Reads the file system, changes nothing. */
export async function resolvePath(root: string, path: string): Promise<ResolvedPath | RefusedPath> {
  const flaw = flawOf(path);
  if (flaw !== undefined) return { ok: false, code: 'invalid', message: `${JSON.stringify(path)} ${flaw}` };
  if (!(await isFolder(root))) return folderMissing(root);
  const walked = await walk(isAbsolute(path) ? path : join(root, sep) + path);
  if (!isWithin(root, walked.real)) return outside(path);
  if (walked.kind === 'broken') {
    return { ok: false, code: 'invalid', message: `${path} cannot be reached: ${walked.why}.` };
  }
  const inside = relative(root, walked.real).split(sep).join('/');
  return { ok: true, real: walked.real, path: inside === '' ? '.' : inside, exists: walked.kind === 'found' };
}

/** Whether `real` is `root` or below it. Both are real paths. */
export function isWithin(root: string, real: string): boolean {
  return real === root || real.startsWith(root.endsWith(sep) ? root : root + sep);
}

function flawOf(path: string): string | undefined {
  if (path.includes('\0')) return 'holds a NUL byte, which no path can. Give a path relative to the workspace.';
  if (path === '~' || path.startsWith('~/'))
    return 'means a home folder, which is not expanded. Give a path relative to the workspace.';
  return undefined;
}

function folderMissing(root: string): RefusedPath {
  const message = `The working folder ${root} is gone. Nothing was done. Restore it or start in another folder.`;
  return { ok: false, code: 'folder_missing', message };
}

function outside(path: string): RefusedPath {
  const message = `${path} is outside the workspace. File tools reach only what is inside it, links followed. Give a path relative to the workspace.`;
  return { ok: false, code: 'outside', message };
}

async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isDirectory() ?? false;
}

/** How far the walk came: on `broken`, `real` is where it ended. */
type Walked =
  | { readonly kind: 'found' | 'missing'; readonly real: string }
  | { readonly kind: 'broken'; readonly real: string; readonly why: string };

const notFolder = 'a part before its end is a file, not a folder';

/** As many links as Linux itself follows. */
const maxLinks = 40;

async function walk(absolute: string): Promise<Walked> {
  const ahead = absolute.split(sep).reverse();
  let here: string = sep;
  let missing = false;
  let inFile = false;
  let links = 0;
  for (let name = ahead.pop(); name !== undefined; name = ahead.pop()) {
    if (inFile) return { kind: 'broken', real: here, why: notFolder };
    if (name === '' || name === '.') continue;
    if (name === '..' && missing)
      return { kind: 'broken', real: here, why: "'..' follows a folder that does not exist" };
    here = join(here, name);
    if (missing || name === '..') continue;
    const found = await look(here);
    if (found.kind === 'broken') return { ...found, real: here };
    missing = found.kind === 'missing';
    inFile = found.kind === 'file';
    if (found.kind !== 'link') continue;
    links += 1;
    if (links > maxLinks) return { kind: 'broken', real: here, why: 'too many symbolic links, perhaps in a circle' };
    if (isMagic(here)) return { kind: 'broken', real: here, why: 'it passes through a link of the kernel' };
    ahead.push(...found.target.split(sep).reverse());
    here = isAbsolute(found.target) ? sep : join(here, '..');
  }
  return { kind: missing ? 'missing' : 'found', real: here };
}

/** The text of a link in /proc is not always where it leads. */
function isMagic(link: string): boolean {
  return link.startsWith('/proc/') || link.startsWith('/dev/fd');
}

type Look =
  | { readonly kind: 'folder' | 'file' | 'missing' }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'broken'; readonly why: string };

async function look(path: string): Promise<Look> {
  try {
    const stats = await lstat(path);
    if (stats.isSymbolicLink()) return { kind: 'link', target: await readlink(path) };
    return { kind: stats.isDirectory() ? 'folder' : 'file' };
  } catch (error) {
    return afterFailedLook(errorCode(error));
  }
}

function afterFailedLook(code: string): Look {
  if (code === 'ENOENT') return { kind: 'missing' };
  if (code === 'ENOTDIR') return { kind: 'broken', why: notFolder };
  if (code === 'ENAMETOOLONG') return { kind: 'broken', why: 'a name in it is too long' };
  if (code === 'EACCES') return { kind: 'broken', why: 'a folder on the way may not be entered' };
  return { kind: 'broken', why: code };
}
