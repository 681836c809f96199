/**
 * Reads a file as ripgrep would understand it. Invariant: only regular files are read, and what is neither text nor surely
 * without a match is left to ripgrep.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { errorCode } from '../../files/fs-failure.ts';
import type { FileStamp, PathKey } from './contract.ts';
import { searchedBefore } from './nul-bytes.ts';
import { fileOfKey } from './path-key.ts';
import { stampOf } from './stamps.ts';

/** text: UTF-8 or nearly so; wide: UTF-16, given as UTF-8; binary: never matches; foreign: ripgrep must look. */
export type ContentKind = 'text' | 'wide' | 'binary' | 'foreign';

export interface FileContent {
  readonly kind: ContentKind;
  readonly stamp: FileStamp;
  /** Valid until the next read. */
  readonly bytes: Buffer;
  /** Where the text begins: behind a byte order mark. */
  readonly start: number;
  /** Behind `bytes` comes a NUL: ripgrep goes no further either, unless the file is named to it. */
  readonly cut: boolean;
}

/** Larger files, and those with a longer line, are ripgrep's. */
export const maxFileBytes = 64 * 1_048_576;
export const maxLineBytes = 4 * 1_048_576;

/** Of a file that is too large to hold. */
const pieceBytes = 1_048_576;

const none = Buffer.alloc(0);
const foreign = { size: -1, changedMs: 0, ino: 0 };

/** Undefined: there is no such file. */
export function readContent(root: string, key: PathKey): FileContent | undefined {
  const opened = openFile(root, key);
  if (opened === undefined) return undefined;
  if (opened === 'unreadable') return without('foreign', foreign);
  try {
    if (opened.stamp === undefined) return undefined;
    return contentOf(opened.fd, opened.stamp);
  } finally {
    closeSync(opened.fd);
  }
}

/** `stamp` undefined: no regular file. */
export interface OpenedFile {
  readonly fd: number;
  readonly stamp: FileStamp | undefined;
}

const openFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

/** Undefined: it is gone. */
export function openFile(root: string, key: PathKey): OpenedFile | 'unreadable' | undefined {
  try {
    const fd = openSync(fileOfKey(root, key), openFlags);
    const stats = fstatSync(fd);
    const stamp = stats.isFile() ? stampOf(stats) : undefined;
    return { fd, stamp };
  } catch (error) {
    const code = errorCode(error);
    // A link in its place is not followed, nor does ripgrep follow it.
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP' || code === 'ENXIO') return undefined;
    return 'unreadable';
  }
}

/** Of an open regular file. */
export function contentOf(fd: number, stamp: FileStamp): FileContent {
  if (stamp.size > maxFileBytes) return giantContent(fd, stamp);
  const bytes = readRange(fd, 0, stamp.size);
  if (bytes === undefined) return without('foreign', stamp);
  const wide = wideEncoding(bytes);
  if (wide !== undefined) return wideContent(bytes, wide, stamp);
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const nul = bytes.indexOf(0);
  // Behind a mark ripgrep's buffer is filled by other amounts.
  if (nul >= 0 && isMarked) return without('foreign', stamp, true);
  const text = nul < 0 ? bytes : bytes.subarray(0, searchedBefore(bytes, nul));
  if (nul >= 0 && text.length === 0) return without('binary', stamp);
  if (hasLongLine(text)) return without('foreign', stamp, nul >= 0);
  return { kind: 'text', stamp, bytes: text, start: isMarked ? 3 : 0, cut: nul >= 0 };
}

function without(kind: ContentKind, stamp: FileStamp, cut = false): FileContent {
  return { kind, stamp, bytes: none, start: 0, cut };
}

/** Too large to hold: only whether there is a NUL in it is found out. */
function giantContent(fd: number, stamp: FileStamp): FileContent {
  for (let at = 0; at < stamp.size; at += pieceBytes) {
    const piece = readRange(fd, at, Math.min(pieceBytes, stamp.size - at));
    if (piece === undefined || piece.length === 0) break;
    // UTF-16 is full of them.
    if (at === 0 && wideEncoding(piece) !== undefined) break;
    const nul = piece.indexOf(0);
    if (nul >= 0)
      return at === 0 && searchedBefore(piece, nul) === 0 ? without('binary', stamp) : without('foreign', stamp, true);
  }
  return without('foreign', stamp);
}

let room = Buffer.allocUnsafeSlow(1_048_576);

/** Undefined: it cannot be read. What a file has lost meanwhile is missing. Valid until the next call. */
export function readRange(fd: number, offset: number, length: number): Buffer | undefined {
  if (length > room.length) room = Buffer.allocUnsafeSlow(Math.min(2 * length, maxFileBytes + 65_536));
  let filled = 0;
  try {
    while (filled < length) {
      const count = readSync(fd, room, filled, length - filled, offset + filled);
      if (count === 0) break;
      filled += count;
    }
  } catch {
    return undefined;
  }
  return room.subarray(0, filled);
}

/** Gives the memory of a large file back. */
export function releaseRoom(): void {
  if (room.length > 1_048_576) room = Buffer.allocUnsafeSlow(1_048_576);
}

function wideEncoding(bytes: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined;
}

function wideContent(bytes: Buffer, encoding: string, stamp: FileStamp): FileContent {
  const text = Buffer.from(new TextDecoder(encoding).decode(bytes));
  if (text.indexOf(0) >= 0) return without('foreign', stamp, true);
  return hasLongLine(text) ? without('foreign', stamp) : { kind: 'wide', stamp, bytes: text, start: 0, cut: false };
}

function hasLongLine(bytes: Buffer): boolean {
  return hasLineOver(bytes, maxLineBytes);
}

export function hasLineOver(bytes: Buffer, limit: number): boolean {
  for (let at = 0; at + limit < bytes.length; ) {
    const end = bytes.subarray(at, at + limit + 1).lastIndexOf(0x0a);
    if (end < 0) return true;
    at += end + 1;
  }
  return false;
}
