/**
 * Finds files by path: a pattern with glob characters is a glob, any other a part of the path in any case. Ignored and
 * hidden files are left aside, unless the pattern names their folder or the file itself.
 */
import { isGlob } from '@zerd/core/search/glob';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { FindAnswer } from '../base/ports.ts';
import { resolvePath } from '../files/resolve.ts';
import { startDeadline } from './deadline.ts';
import { hasVisibleFile, listFiles } from './list-files.ts';
import { acceptedGlob, unrestricted } from './scope.ts';
import type { SearchRoom } from './search-room.ts';

export const pathLimit = 200;

export async function findPaths(room: SearchRoom, pattern: string, signal: AbortSignal): Promise<FindAnswer> {
  const root = await resolvePath(room.root, '.');
  if (!root.ok) throw new ZerdError('folder_missing', root.message);
  using deadline = startDeadline(room.timeoutMs, signal, room.clock);
  const paths = createPathCollector();
  try {
    if (isGlob(pattern)) await findByGlob(room, pattern, paths, deadline.signal);
    else await findByPart(room, pattern, paths, deadline.signal);
  } catch (error) {
    if (!deadline.expired()) throw error;
    return { ...paths.answer(), incomplete: `stopped after ${room.timeoutMs / 1_000} s` };
  }
  return paths.answer();
}

interface PathCollector {
  add(path: string): void;
  /** Whether the path or something below it was added. */
  has(path: string): boolean;
  answer(): FindAnswer;
}

/** The first paths in order; all are counted, each once. */
function createPathCollector(): PathCollector {
  const seen = new Set<string>();
  return {
    add: (path) => seen.add(path),
    has: (path) => seen.has(path) || [...seen].some((one) => one.startsWith(`${path}/`)),
    answer: () => ({ paths: [...seen].sort().slice(0, pathLimit), total: seen.size }),
  };
}

async function findByGlob(room: SearchRoom, pattern: string, paths: PathCollector, signal: AbortSignal): Promise<void> {
  const { root } = room;
  const glob = acceptedGlob(pattern);
  const named = await folderIn(root, glob.folder);
  const add = (path: string) => {
    if (glob.matches(path)) paths.add(path);
  };
  if (named !== undefined) await listNamed(root, named, add, signal);
  await listVisible(room, pattern, add, signal);
}

async function findByPart(room: SearchRoom, pattern: string, paths: PathCollector, signal: AbortSignal): Promise<void> {
  const { root } = room;
  const part = pattern.replace(/^(?:\.\/)+/, '').toLowerCase();
  await listVisible(room, pattern, (path) => path.toLowerCase().includes(part) && paths.add(path), signal);
  const named = await resolvePath(root, pattern);
  if (!named.ok || !named.exists || named.path === '.' || paths.has(named.path)) return;
  await listNamed(root, named.path, paths.add, signal);
}

/** All that fit the pattern, and perhaps others. */
async function listVisible(
  { root, visible }: SearchRoom,
  pattern: string,
  add: (path: string) => unknown,
  signal: AbortSignal,
): Promise<void> {
  const known = await visible?.(pattern);
  if (known) for (const path of known) add(path);
  else await list(root, './', [], add, signal);
}

async function folderIn(root: string, folder: string): Promise<string | undefined> {
  if (folder === '') return undefined;
  const resolved = await resolvePath(root, folder);
  return resolved.ok && resolved.exists && resolved.path === folder ? folder : undefined;
}

/** A folder or a file that the model named: when it is itself hidden or ignored, all of it counts. */
async function listNamed(
  root: string,
  path: string,
  add: (path: string) => unknown,
  signal: AbortSignal,
): Promise<void> {
  const target = `./${path}`;
  const visible = await hasVisibleFile(root, target, signal);
  await list(root, target, visible ? [] : unrestricted, add, signal);
}

function list(
  root: string,
  target: string,
  flags: readonly string[],
  add: (path: string) => unknown,
  signal: AbortSignal,
) {
  const onPath = (path: string): 'go' => {
    add(path);
    return 'go';
  };
  return listFiles({ root, target, flags, signal, onPath });
}
