/**
 * Brings what is known of a tree up to date without events: at the start, after events may have been lost, and instead of
 * events where nothing can be watched. Invariant: each folder is watched before its files are looked at; one that changed
 * between ripgrep's list and its watch is looked at once more.
 */
import { addAside, foldersIn, lookAtAll } from './look.ts';
import { lossyName } from './names.ts';
import { dropFolder, settleLooks, takeAside, takeFiles } from './settle-events.ts';
import { entryAt, racyMs } from './stamp.ts';
import { below, nameOf, parentOf } from './tree.ts';
import type { TreeRoom } from './tree-room.ts';

/** More files than this are not followed: their list alone would take a gigabyte. */
export const mostFiles = 2_000_000;

export async function resync(room: TreeRoom): Promise<void> {
  const listedAt = room.wall();
  const visible = await listTree(room);
  const touched = await takeVisible(room, visible, listedAt - racyMs);
  for (const [path] of [...room.tree.folders()]) if (!visible.has(path)) dropFolder(room, path);
  await settleLooks(room, new Map(touched.map((path) => [path, 'one'])));
}

interface Listed {
  readonly files: Set<string>;
  readonly aside: Set<string>;
}

/** Every folder with a visible file in it or below, and the names that ripgrep leaves aside there. */
async function listTree(room: TreeRoom): Promise<Map<string, Listed>> {
  const visible = new Map<string, Listed>();
  const asides = new Map<string, Set<string>>();
  let files = 0;
  const folderOf = (path: string): Listed => {
    const there = visible.get(path);
    if (there) return there;
    const made = { files: new Set<string>(), aside: asidesOf(asides, path) };
    visible.set(path, made);
    if (path !== '') folderOf(parentOf(path));
    return made;
  };
  folderOf('');
  await lookAtAll(room, {
    file(path) {
      files += 1;
      folderOf(parentOf(path)).files.add(nameOf(path));
      return files <= mostFiles;
    },
    aside: (path) => addAside(asidesOf(asides, parentOf(path)), nameOf(path)),
  });
  if (files > mostFiles) throw new Error(`more than ${mostFiles} files`);
  for (const [path, one] of visible) await addEmptyFolders(room, visible, asides, path, one);
  return visible;
}

function asidesOf(asides: Map<string, Set<string>>, folder: string): Set<string> {
  const made = asides.get(folder) ?? new Set<string>();
  asides.set(folder, made);
  return made;
}

/** Ripgrep lists files; a folder without one is visible all the same. The map grows while it is walked. */
async function addEmptyFolders(
  room: TreeRoom,
  visible: Map<string, Listed>,
  asides: Map<string, Set<string>>,
  path: string,
  { aside }: Listed,
): Promise<void> {
  room.watches.add(path);
  for (const name of (await foldersIn(room.root, path)) ?? []) {
    const full = below(path, name);
    if (visible.has(full) || aside.has(lossyName(name))) continue;
    visible.set(full, { files: new Set(), aside: asidesOf(asides, full) });
  }
  await room.breathe();
}

/** Returns the folders that changed since the list was begun. */
async function takeVisible(room: TreeRoom, visible: Map<string, Listed>, since: number): Promise<string[]> {
  const touched: string[] = [];
  for (const [path, { files, aside }] of visible) {
    const entry = entryAt(room.root, path);
    if (entry.kind !== 'folder') continue;
    if (entry.mtimeMs >= since) touched.push(path);
    const folder = room.tree.ensure(path);
    await takeFiles(room, path, folder, files);
    takeAside(folder, aside);
  }
  return touched;
}
