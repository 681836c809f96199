/**
 * Keeps the contents of small indexed files in memory, so that looking into one again costs a look at its stamp alone.
 * Invariant: what is given is what the file held when it bore the stamp of the index, and bears it still.
 */
import { closeSync, lstatSync } from 'node:fs';
import type { FileStamp, PathKey } from './contract.ts';
import { openFile, readRange } from './file-content.ts';
import { fileOfKey } from './path-key.ts';
import { isSameStamp, stampOf } from './stamps.ts';

export interface KeptFiles {
  /**
   * The whole file, of which `wanted` bytes are looked into. Undefined: it is not as it was indexed, too large to keep, or
   * cannot be read.
   */
  read(root: string, path: PathKey, stamp: FileStamp, wanted: number): Buffer | undefined;
  has(path: PathKey): boolean;
  bytes(): number;
  clear(): void;
}

/** Of a larger file one block is read sooner than all of it. */
const smallFile = 65_536;
const largestFile = 4 * 1_048_576;
/** Beside each file's own bytes: its name, its place in the map. */
const overhead = 256;

export function createKeptFiles(mostBytes: number): KeptFiles {
  /** In the order of their last use. */
  const kept = new Map<PathKey, { readonly stamp: FileStamp; readonly bytes: Buffer }>();
  let size = 0;

  function drop(path: PathKey): void {
    const there = kept.get(path);
    if (there === undefined) return;
    kept.delete(path);
    size -= there.bytes.length + overhead;
  }

  function keep(path: PathKey, stamp: FileStamp, bytes: Buffer): void {
    kept.set(path, { stamp, bytes });
    size += bytes.length + overhead;
    for (const oldest of kept.keys()) {
      if (size <= mostBytes) return;
      drop(oldest);
    }
  }

  return {
    read(root, path, stamp, wanted) {
      const there = kept.get(path);
      if (there !== undefined && isSameStamp(there.stamp, stamp)) {
        if (!bearsStill(root, path, stamp)) return undefined;
        kept.delete(path);
        kept.set(path, there);
        return there.bytes;
      }
      drop(path);
      if (stamp.size > largestFile || (stamp.size > smallFile && 2 * wanted < stamp.size)) return undefined;
      const bytes = readIndexed(root, path, stamp);
      if (bytes !== undefined) keep(path, stamp, bytes);
      return bytes;
    },
    has: (path) => kept.has(path),
    bytes: () => size,
    clear() {
      kept.clear();
      size = 0;
    },
  };
}

function bearsStill(root: string, path: PathKey, stamp: FileStamp): boolean {
  try {
    const stats = lstatSync(fileOfKey(root, path), { throwIfNoEntry: false });
    return stats?.isFile() === true && isSameStamp(stampOf(stats), stamp);
  } catch {
    return false;
  }
}

function readIndexed(root: string, path: PathKey, stamp: FileStamp): Buffer | undefined {
  const opened = openFile(root, path);
  if (opened === undefined || opened === 'unreadable') return undefined;
  try {
    if (opened.stamp === undefined || !isSameStamp(opened.stamp, stamp)) return undefined;
    const bytes = readRange(opened.fd, 0, stamp.size);
    return bytes?.length === stamp.size ? Buffer.from(bytes) : undefined;
  } finally {
    closeSync(opened.fd);
  }
}
