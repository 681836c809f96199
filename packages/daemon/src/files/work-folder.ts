/**
 * Says whether the working folder is there. Gone is also one whose disk is no longer mounted: what is left in its place is
 * an empty folder of another device. Reads the file system, changes nothing.
 */
import { statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';

export interface WorkFolder {
  there(): Promise<boolean>;
}

export interface FolderLook {
  /** The device on which it lies; undefined: it is no folder, or cannot be reached. */
  device(): Promise<number | undefined>;
  /** How many names are in it. */
  names(): Promise<number>;
}

/** `root` is a real path. Begins with where it lies now. */
export function openWorkFolder(root: string, look: FolderLook = lookAt(root), first = deviceNow(root)): WorkFolder {
  let usual = first;
  return {
    async there() {
      const device = await look.device();
      if (device === undefined) return false;
      if (usual !== undefined && device !== usual && (await look.names()) === 0) return false;
      usual = device;
      return true;
    },
  };
}

function deviceNow(root: string): number | undefined {
  try {
    return statSync(root).dev;
  } catch {
    return undefined;
  }
}

function lookAt(root: string): FolderLook {
  return {
    device: () =>
      stat(root).then(
        (found) => (found.isDirectory() ? found.dev : undefined),
        () => undefined,
      ),
    names: () =>
      readdir(root).then(
        (names) => names.length,
        () => 0,
      ),
  };
}
