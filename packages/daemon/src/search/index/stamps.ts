/** By what a file is told from the one that was looked at before under the same name. */
import type { Stats } from 'node:fs';
import type { FileStamp } from './contract.ts';

export function stampOf({ size, mtimeMs, ctimeMs, ino }: Stats): FileStamp {
  // Some network file systems know no ctime.
  return { size, changedMs: ctimeMs > 0 ? ctimeMs : mtimeMs, ino };
}

export function isSameStamp(a: FileStamp, b: FileStamp): boolean {
  return a.size === b.size && a.changedMs === b.changedMs && a.ino === b.ino;
}
