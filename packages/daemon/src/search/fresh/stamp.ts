/** Does: looks at one entry of the file system, links not followed. */
import { lstatSync, type Stats } from 'node:fs';
import type { FileStamp } from '../index/contract.ts';
import { isSameStamp, stampOf } from '../index/stamps.ts';
import { onDisk } from './look.ts';

export type Entry =
  | { readonly kind: 'file'; readonly stamp: FileStamp }
  | { readonly kind: 'folder'; readonly mtimeMs: number }
  /** Nothing there, or a link, pipe, socket or device, which are never searched. */
  | { readonly kind: 'none' };

export function entryAt(root: string, path: string): Entry {
  const stats = statsOf(root, path);
  if (stats?.isFile()) return { kind: 'file', stamp: stampOf(stats) };
  return stats?.isDirectory() ? { kind: 'folder', mtimeMs: stats.mtimeMs } : { kind: 'none' };
}

function statsOf(root: string, path: string): Stats | undefined {
  try {
    return lstatSync(onDisk(root, path), { throwIfNoEntry: false });
  } catch {
    // A part of the path is a file now, or may not be entered.
    return undefined;
  }
}

/** Times of file systems are coarse: a write may carry the time of one that was seen before it. */
export const racyMs = 2_000;

/** Whether the content under `now` is certainly the one that `before` was taken of. */
export function isUnchanged(before: FileStamp | undefined, now: FileStamp, wall: number): boolean {
  return before !== undefined && isSameStamp(before, now) && now.changedMs < wall - racyMs;
}
