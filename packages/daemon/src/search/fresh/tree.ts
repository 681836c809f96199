/**
 * What is known of a tree: its visible folders, the files in each with the stamps by which a change is told, and the
 * names in it that ripgrep leaves aside. Paths are relative to the root with forward slashes; '' is the root.
 */

import type { FileStamp } from '../index/contract.ts';

export interface Folder {
  /** With the stamp of the content that was told of; undefined: whatever is there counts as changed. */
  readonly files: Map<string, FileStamp | undefined>;
  /** Names of visible folders in it. */
  readonly folders: Set<string>;
  /** Names that are ignored or hidden, as far as they were counted. */
  readonly aside: Set<string>;
}

export interface Tree {
  folder(path: string): Folder | undefined;
  /** Made with the folders above it when it is not there. */
  ensure(path: string): Folder;
  folders(): IterableIterator<[string, Folder]>;
  folderCount(): number;
  /** Takes a folder with all below it out and says what was in it. */
  drop(path: string): { readonly folders: readonly string[]; readonly files: readonly string[] };
}

/** Names aside that are remembered of one folder: the rest is looked at again when it changes. */
export const mostAside = 2_000;

export function createTree(): Tree {
  const known = new Map<string, Folder>();

  function ensure(path: string): Folder {
    const there = known.get(path);
    if (there) return there;
    const made: Folder = { files: new Map(), folders: new Set(), aside: new Set() };
    known.set(path, made);
    if (path !== '') ensure(parentOf(path)).folders.add(nameOf(path));
    return made;
  }

  function collect(path: string, folders: string[], files: string[]): void {
    const folder = known.get(path);
    if (!folder) return;
    known.delete(path);
    folders.push(path);
    for (const name of folder.files.keys()) files.push(below(path, name));
    for (const name of folder.folders) collect(below(path, name), folders, files);
  }

  return {
    folder: (path) => known.get(path),
    ensure,
    folders: () => known.entries(),
    folderCount: () => known.size,
    drop(path) {
      const folders: string[] = [];
      const files: string[] = [];
      collect(path, folders, files);
      if (path !== '') known.get(parentOf(path))?.folders.delete(nameOf(path));
      return { folders, files };
    },
  };
}

export function below(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

export function parentOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
