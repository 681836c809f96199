/**
 * Brings what is known of a tree up to date without events: at the start, after events may have been lost, and instead of
 * events where nothing can be watched. Invariant: each folder is watched before anything in it is looked at; one that
 * changed between ripgrep's list and its watch is looked at once more.
 */
import { addAside, foldersIn, lookAtAll } from './look.ts';
import { lossyName } from './names.ts';
import { dropFolder, forget, settleLooks, takeAside, takeFile } from './settle-events.ts';
import { entryAt, racyMs } from './stamp.ts';
import { below, type Folder, nameOf, parentOf } from './tree.ts';
import type { TreeRoom } from './tree-room.ts';

/** More files than this are not followed: their list alone would take a gigabyte. */
export const mostFiles = 2_000_000;

export async function resync(room: TreeRoom): Promise<void> {
  const listedAt = room.wall();
  const listed = await listTree(room);
  await addEmptyFolders(room, listed);
  const touched: string[] = [];
  for (const [path, { folder, files, aside }] of listed) {
    const entry = entryAt(room.root, path);
    if (entry.kind === 'folder' && entry.mtimeMs >= listedAt - racyMs) touched.push(path);
    for (const name of folder.files.keys()) if (!files.has(name)) forget(room, path, folder, name);
    takeAside(folder, aside);
    await room.breathe();
  }
  for (const [path] of [...room.tree.folders()]) if (!listed.has(path)) dropFolder(room, path);
  await settleLooks(room, new Map(touched.map((path) => [path, 'one'])));
}

interface Listed {
  readonly folder: Folder;
  readonly files: Set<string>;
  readonly aside: Set<string>;
}

/** Every folder with a visible file in it or below. Files are looked at while ripgrep goes on listing. */
async function listTree(room: TreeRoom): Promise<Map<string, Listed>> {
  const listed = new Map<string, Listed>();
  const asides = new Map<string, Set<string>>();
  let files = 0;

  function folderOf(path: string): Listed {
    const there = listed.get(path);
    if (there) return there;
    if (path !== '') folderOf(parentOf(path));
    return begin(room, listed, path, asidesOf(path));
  }

  function asidesOf(path: string): Set<string> {
    const made = asides.get(path) ?? new Set<string>();
    asides.set(path, made);
    return made;
  }

  folderOf('');
  await lookAtAll(room, {
    file(path) {
      files += 1;
      const [folder, name] = [folderOf(parentOf(path)), nameOf(path)];
      folder.files.add(name);
      takeFile(room, parentOf(path), folder.folder, name);
      return files <= mostFiles;
    },
    aside: (path) => addAside(asidesOf(parentOf(path)), nameOf(path)),
  });
  if (files > mostFiles) throw new Error(`more than ${mostFiles} files`);
  return listed;
}

function begin(room: TreeRoom, listed: Map<string, Listed>, path: string, aside: Set<string>): Listed {
  room.watches.add(path);
  const made = { folder: room.tree.ensure(path), files: new Set<string>(), aside };
  listed.set(path, made);
  return made;
}

/** Ripgrep lists files; a folder without one is visible all the same. The map grows while it is walked. */
async function addEmptyFolders(room: TreeRoom, listed: Map<string, Listed>): Promise<void> {
  for (const [path, { aside }] of listed) {
    for (const name of foldersIn(room.root, path) ?? []) {
      const full = below(path, name);
      if (!listed.has(full) && !aside.has(lossyName(name))) begin(room, listed, full, new Set());
    }
    await room.breathe();
  }
}
