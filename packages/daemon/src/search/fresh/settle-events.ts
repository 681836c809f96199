/**
 * Decides from events what became of a tree. An event only says where to look: what is there now counts. Invariant: a
 * folder is watched before it is looked at, so that nothing happens in between unseen.
 */
import { hasRules, lookAt } from './look.ts';
import { entryAt, isUnchanged } from './stamp.ts';
import { below, type Folder, nameOf } from './tree.ts';
import type { TreeRoom } from './tree-room.ts';

/** Names by folder; 'all': anything in the folder; 'deep': anything in it and below. */
export type Events = ReadonlyMap<string, Names>;
export type Names = ReadonlySet<string> | 'all' | 'deep';

/** More names than this of one folder are looked at as a whole. */
const manyNames = 200;

/** Returns how much it had to look at: whoever has much pauses before the next time. */
export async function settleEvents(room: TreeRoom, events: Events): Promise<number> {
  const looks = new Map<string, 'one' | 'deep'>();
  let work = 0;
  for (const [folder, names] of byDepth(events)) {
    work += typeof names === 'string' ? manyNames : names.size;
    settleFolder(room, folder, names, looks);
    await room.breathe();
  }
  work += looks.size * 20;
  await settleLooks(room, looks);
  return work;
}

/** Folders above come first: what is gone there takes the ones below with it. */
function byDepth(events: Events): [string, Names][] {
  return [...events].sort(([a], [b]) => a.length - b.length);
}

type Looks = ReadonlyMap<string, 'one' | 'deep'>;

function settleFolder(room: TreeRoom, path: string, names: Names, looks: Map<string, 'one' | 'deep'>): void {
  const folder = room.tree.folder(path);
  if (folder === undefined) return;
  if (typeof names === 'string' || names.size > manyNames)
    return void looks.set(path, names === 'deep' ? 'deep' : 'one');
  for (const name of names) settleName(room, path, folder, name, looks);
}

function settleName(
  room: TreeRoom,
  path: string,
  folder: Folder,
  name: string,
  looks: Map<string, 'one' | 'deep'>,
): void {
  const look = (where: string, how: 'one' | 'deep' = 'one') => {
    if (how === 'deep' || !looks.has(where)) looks.set(where, how);
  };
  const full = below(path, name);
  if (hasRules(name)) look(path, 'deep');
  // The event may be about the folder itself, which may be another one under the same name.
  if (name === nameOf(path) && path !== '') renew(room, path, look);
  // The name of a file that is no UTF-8, as Node hands it over.
  if (name.includes('\uFFFD')) look(path);
  else settleEntry(room, { path, folder, name, full }, look);
}

interface Named {
  readonly path: string;
  readonly folder: Folder;
  readonly name: string;
  readonly full: string;
}

function settleEntry(room: TreeRoom, { path, folder, name, full }: Named, look: (where: string) => void): void {
  const entry = entryAt(room.root, full);
  switch (entry.kind) {
    case 'none':
      folder.aside.delete(name);
      forget(room, path, folder, name);
      break;
    case 'folder':
      if (folder.files.delete(name)) room.gone(full);
      if (folder.folders.has(name)) renew(room, full, look);
      else if (!folder.aside.has(name)) look(path);
      break;
    case 'file':
      if (folder.folders.has(name)) dropFolder(room, full);
      if (folder.files.has(name)) room.found(full, folder, name, entry.stamp);
      else if (!folder.aside.has(name)) look(path);
      break;
  }
}

function renew(room: TreeRoom, folder: string, look: (where: string) => void): void {
  room.watches.renew(folder);
  look(folder);
}

export function forget(room: TreeRoom, path: string, folder: Folder, name: string): void {
  const full = below(path, name);
  if (folder.files.delete(name)) room.gone(full);
  if (folder.folders.has(name)) dropFolder(room, full);
}

export function dropFolder(room: TreeRoom, path: string): void {
  const { folders, files } = room.tree.drop(path);
  for (const folder of folders) room.watches.remove(folder);
  for (const file of files) room.gone(file);
}

/** Level by level: what is found in a folder is watched and looked at in its turn. */
export async function settleLooks(room: TreeRoom, first: Looks): Promise<void> {
  for (let looks = withFoldersBelow(room, first); looks.length > 0; ) {
    const seen = await lookAt(room, looks);
    const next: string[] = [];
    for (const path of looks) {
      const look = seen.get(path);
      const folder = room.tree.folder(path);
      if (folder === undefined) continue;
      if (look === undefined) {
        if (path === '')
          for (const name of [...folder.files.keys(), ...folder.folders]) forget(room, path, folder, name);
        else dropFolder(room, path);
        continue;
      }
      await takeFiles(room, path, folder, look.files);
      takeAside(folder, look.aside);
      takeFolders(room, path, folder, look.folders, next);
    }
    looks = next;
  }
}

/** Those above first: what is no longer visible there takes the ones below with it. */
function withFoldersBelow(room: TreeRoom, looks: Looks): string[] {
  const all = new Set<string>();
  const add = (path: string) => {
    all.add(path);
    for (const name of room.tree.folder(path)?.folders ?? []) add(below(path, name));
  };
  for (const [path, how] of looks) how === 'deep' ? add(path) : all.add(path);
  return [...all].sort((a, b) => a.length - b.length);
}

/** What the folder holds now; each file is compared by its stamp. */
async function takeFiles(room: TreeRoom, path: string, folder: Folder, names: ReadonlySet<string>): Promise<void> {
  for (const name of folder.files.keys()) if (!names.has(name)) forget(room, path, folder, name);
  for (const name of names) {
    takeFile(room, path, folder, name);
    await room.breathe();
  }
}

/** A file that ripgrep listed; it may be gone again. */
export function takeFile(room: TreeRoom, path: string, folder: Folder, name: string): void {
  const full = below(path, name);
  const entry = entryAt(room.root, full);
  if (entry.kind !== 'file') forget(room, path, folder, name);
  else if (isUnchanged(folder.files.get(name), entry.stamp, room.wall())) room.stays(full);
  else room.found(full, folder, name, entry.stamp);
}

export function takeAside(folder: Folder, aside: ReadonlySet<string>): void {
  folder.aside.clear();
  for (const name of aside) folder.aside.add(name);
}

function takeFolders(room: TreeRoom, path: string, folder: Folder, names: ReadonlySet<string>, next: string[]): void {
  for (const name of [...folder.folders]) if (!names.has(name)) dropFolder(room, below(path, name));
  for (const name of names) {
    if (folder.folders.has(name)) continue;
    const full = below(path, name);
    room.tree.ensure(full);
    room.watches.add(full);
    next.push(full);
  }
}
