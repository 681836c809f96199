/**
 * Finds the files of the workspace that an entry names, and the hashes of their content. Invariants: only regular files are
 * opened; a file counts by the place at which it is named, whatever link leads there; more than the user's word can be
 * asked for is said, never left out.
 */
import { createHash } from 'node:crypto';
import {
  type BigIntStats,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { namedPaths } from '@zerd/core/mcp/named-paths';
import type { McpEntry } from '@zerd/core/mcp/server';

export interface NamedFiles {
  /** By the path relative to the root. */
  readonly hashes: ReadonlyMap<string, string>;
  /** Why they cannot all be vouched for. */
  readonly fault?: string;
}

const mostFiles = 200;
/** Of the folders that an entry names the first are looked into. */
const mostFolders = 8;
const mostKnown = 256;
const mostBytes = 64 * 1024 * 1024;

/** Hashes of files whose stamps have not changed; the caller decides whether that is good enough. */
export type KnownHashes = Map<string, { readonly stamp: string; readonly hash: string }>;

/** The paths, relative to the root, of the files that are there. */
export function filesNamedBy(entry: McpEntry, root: string): readonly string[] {
  const inside = (paths: readonly string[]) => new Set(paths.flatMap((path) => insideOf(root, path) ?? []));
  const found = [...inside(pathsOf(entry, []))].map((path) => ({ path, kind: kindOf(`${root}/${path}`) }));
  const filesOf = (all: typeof found) => all.filter(({ kind }) => kind === 'file').map(({ path }) => path);
  const folders = found.filter(({ kind }) => kind === 'folder').map(({ path }) => path);
  if (folders.length === 0) return filesOf(found);
  const below = [...inside(pathsOf(entry, folders.slice(0, mostFolders)))];
  return filesOf(below.map((path) => ({ path, kind: kindOf(`${root}/${path}`) })));
}

export function hashNamedFiles(entry: McpEntry, root: string, known: KnownHashes): NamedFiles {
  const paths = filesNamedBy(entry, root);
  if (paths.length > mostFiles) return { hashes: new Map(), fault: `names ${paths.length} files; ${mostFiles} may be` };
  const hashes = new Map<string, string>();
  let bytes = 0;
  for (const path of paths) {
    const found = hashOf(resolve(root, path), known);
    if (typeof found === 'string') return { hashes, fault: `names ${path}, which ${found}` };
    bytes += found.bytes;
    if (bytes > mostBytes) return { hashes, fault: `names files of more than ${mostBytes >> 20} MiB` };
    hashes.set(path, found.hash);
  }
  return { hashes };
}

const knownPaths = new Map<string, readonly string[]>();

/** They are asked for before each request, and follow from what is said alone. */
function pathsOf(entry: McpEntry, folders: readonly string[]): readonly string[] {
  const key = JSON.stringify([entry, folders]);
  const paths = knownPaths.get(key) ?? namedPaths(entry, folders);
  if (knownPaths.size >= mostKnown) knownPaths.clear();
  knownPaths.set(key, paths);
  return paths;
}

function insideOf(root: string, path: string): string | undefined {
  if (path.includes('\0')) return undefined;
  const named = resolve(root, path);
  return below(root, named) ?? (existsSync(named) ? below(root, realOf(named)) : undefined);
}

/** Relative to the root; undefined: it is no path in it. */
export function below(root: string, path: string): string | undefined {
  const found = relative(root, path);
  return found === '' || found === '..' || found.startsWith(`..${sep}`) || isAbsolute(found) ? undefined : found;
}

/** A link outside may lead into the workspace. What is gone this moment is itself. */
export function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function kindOf(path: string): 'file' | 'folder' | undefined {
  // Most are not there, and an error takes longer than a look.
  if (!existsSync(path)) return undefined;
  try {
    const stat = statSync(path);
    return stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : undefined;
  } catch {
    return undefined;
  }
}

/** A text: why not. */
function hashOf(path: string, known: KnownHashes): { readonly hash: string; readonly bytes: number } | string {
  let file: number | undefined;
  try {
    const before = statSync(path, { bigint: true });
    if (before.size > mostBytes) return `is larger than ${mostBytes >> 20} MiB`;
    const bytes = Number(before.size);
    const found = known.get(path);
    if (found?.stamp === stampOf(before)) return { hash: found.hash, bytes };
    // What a link leads to may keep a reader waiting, as files of the kernel do, or grow while it is read.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stamp = stampOf(fstatSync(file, { bigint: true }));
    const hash = hashAll(file);
    if (hash === undefined) return 'grows while it is read';
    known.set(path, { stamp, hash });
    return { hash, bytes };
  } catch (error) {
    return `cannot be read (${String((error as { readonly code?: unknown }).code)})`;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}

/** Undefined: it has no end. */
function hashAll(file: number): string | undefined {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(64 * 1024);
  let bytes = 0;
  for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer)) {
    hash.update(buffer.subarray(0, read));
    bytes += read;
    if (bytes > mostBytes) return undefined;
  }
  return hash.digest('hex');
}
