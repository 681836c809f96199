/**
 * Keeps the contents of small indexed files in memory, so that looking into one again costs a look at its stamp alone.
 * Invariant: what is given is what the file held when it bore the stamp of the index, and bears it still.
 */
import { closeSync, lstatSync } from 'node:fs';
import type { FileStamp, PathKey } from './contract.ts';
import { openFile, readRange } from './file-content.ts';
import { fileOfKey } from './path-key.ts';
import { isSameStamp, stampOf } from './stamps.ts';

export interface KeptFile {
  readonly bytes: Buffer;
  /** Where its lines end, once it was asked for before: what is looked into once is not worth a table. */
  ends(): Uint32Array | undefined;
}

export interface KeptFiles {
  /** What is used from here on stays: a search for more than there is room for finds at least so much of it next time. */
  begin(): void;
  /**
   * The whole file, of which `wanted` bytes are looked into. Undefined: it is not as it was indexed, too large to keep, or
   * cannot be read.
   */
  read(root: string, path: PathKey, stamp: FileStamp, wanted: number): KeptFile | undefined;
  bytes(): number;
  clear(): void;
}

/** Of a larger file one block is read sooner than all of it: it is kept when it is asked for again. */
const smallFile = 65_536;
/** Larger files that were asked for once. */
const mostAsked = 1_000;
const largestFile = 4 * 1_048_576;
/** Beside each file's own bytes: its name, its place in the map. */
const overhead = 256;
const newline = 0x0a;

export function createKeptFiles(mostBytes: number): KeptFiles {
  /** In the order of their last use. */
  const kept = new Map<PathKey, Kept>();
  const asked = new Set<PathKey>();
  let [size, round] = [0, 0];

  function isWorthReading(path: PathKey, fileBytes: number, wanted: number): boolean {
    if (fileBytes > largestFile) return false;
    if (fileBytes <= smallFile || 2 * wanted >= fileBytes || asked.delete(path)) return true;
    if (asked.size >= mostAsked) asked.clear();
    asked.add(path);
    return false;
  }

  function drop(path: PathKey): void {
    const there = kept.get(path);
    if (there === undefined) return;
    kept.delete(path);
    size -= sizeOf(there);
  }

  function keep(path: PathKey, one: Omit<Kept, 'round'>): void {
    const newest = { ...one, round };
    for (const [path, oldest] of kept) {
      if (size + sizeOf(newest) <= mostBytes || oldest.round === round) break;
      drop(path);
    }
    if (size + sizeOf(newest) > mostBytes) return;
    kept.set(path, newest);
    size += sizeOf(newest);
  }

  function endsOf(path: PathKey, one: Kept): Uint32Array {
    const ends = endsIn(one.bytes);
    if (size + ends.byteLength > mostBytes) return ends;
    drop(path);
    keep(path, { ...one, ends });
    return ends;
  }

  return {
    begin() {
      round += 1;
    },
    read(root, path, stamp, wanted) {
      const there = kept.get(path);
      if (there !== undefined && isSameStamp(there.stamp, stamp)) {
        if (!bearsStill(root, path, stamp)) return undefined;
        kept.delete(path);
        kept.set(path, { ...there, round });
        let ends = there.ends;
        return {
          bytes: there.bytes,
          ends() {
            ends ??= endsOf(path, there);
            return ends;
          },
        };
      }
      drop(path);
      if (!isWorthReading(path, stamp.size, wanted)) return undefined;
      const bytes = readIndexed(root, path, stamp);
      if (bytes === undefined) return undefined;
      keep(path, { stamp, bytes, ends: undefined });
      return { bytes, ends: () => undefined };
    },
    bytes: () => size,
    clear() {
      kept.clear();
      asked.clear();
      size = 0;
    },
  };
}

interface Kept {
  readonly stamp: FileStamp;
  readonly bytes: Buffer;
  readonly ends: Uint32Array | undefined;
  /** When it was used last. */
  readonly round: number;
}

function sizeOf({ bytes, ends }: Kept): number {
  return bytes.length + (ends?.byteLength ?? 0) + overhead;
}

function endsIn(bytes: Buffer): Uint32Array {
  const ends: number[] = [];
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) ends.push(at);
  return Uint32Array.from(ends);
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
