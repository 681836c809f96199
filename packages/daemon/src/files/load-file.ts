/**
 * Loads a regular file whole, up to a limit, with its hash and the facts that a later write must keep. Anything that is
 * not a regular file is never opened: a FIFO would hang, a device could act.
 */
import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { describeFsFailure, errorCode } from './fs-failure.ts';

/** The largest file that is loaded whole, and so the largest that can be edited: 64 MiB. */
export const maxLoadedBytes = 64 * 1024 * 1024;

export interface LoadedFile {
  readonly ok: true;
  readonly bytes: Buffer;
  /** SHA-256 of the bytes, hexadecimal. */
  readonly hash: string;
  readonly stats: Stats;
}

export interface LoadFailure {
  readonly ok: false;
  readonly kind: 'missing' | 'folder' | 'special' | 'huge' | 'failed';
  /** For the model. */
  readonly message: string;
}

/** `real` is a resolved path, `path` its name for the model. Rejects with the signal's reason when aborted. */
export async function loadFile(real: string, path: string, signal: AbortSignal): Promise<LoadedFile | LoadFailure> {
  try {
    return refuse(await lstat(real), path) ?? (await withFile(real, (file) => load(file, path, signal)));
  } catch (error) {
    return failure(error, path);
  }
}

/** Opens without following a link and without waiting, so that a file swapped meanwhile does no harm. */
export async function withFile<T>(real: string, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

/** The bytes from the beginning, or undefined: there are more than `max`. */
export async function readAll(file: FileHandle, max: number, signal?: AbortSignal): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let total = 0;
  let size = (await file.stat()).size + 1;
  for (;;) {
    signal?.throwIfAborted();
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(Math.min(size, max + 1)), 0, null, total);
    if (bytesRead === 0) return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
    chunks.push(buffer.subarray(0, bytesRead));
    total += bytesRead;
    if (total > max) return undefined;
    size = Math.max(size - bytesRead, 64 * 1024);
  }
}

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function load(file: FileHandle, path: string, signal: AbortSignal): Promise<LoadedFile | LoadFailure> {
  const stats = await file.stat();
  const refused = refuse(stats, path);
  if (refused) return refused;
  const bytes = await readAll(file, maxLoadedBytes, signal);
  return bytes ? { ok: true, bytes, hash: hashOf(bytes), stats } : huge(path, stats.size);
}

function refuse(stats: Stats, path: string): LoadFailure | undefined {
  if (stats.isDirectory()) return { ok: false, kind: 'folder', message: `${path} is a folder, not a file.` };
  if (!stats.isFile())
    return { ok: false, kind: 'special', message: `${path} is ${specialKind(stats)}, not a file. It was not opened.` };
  return stats.size > maxLoadedBytes ? huge(path, stats.size) : undefined;
}

function specialKind(stats: Stats): string {
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  if (stats.isSymbolicLink()) return 'a symbolic link made meanwhile';
  return 'a device';
}

function huge(path: string, size: number): LoadFailure {
  const message = `${path} is too large to load whole: ${bytesText(size)}, the limit is ${bytesText(maxLoadedBytes)}. Use a command in the shell.`;
  return { ok: false, kind: 'huge', message };
}

export function bytesText(bytes: number): string {
  return `${bytes.toLocaleString('en-US')} bytes`;
}

function failure(error: unknown, path: string): LoadFailure {
  const message = describeFsFailure(error, path);
  if (message === undefined) throw error;
  return { ok: false, kind: errorCode(error) === 'ENOENT' ? 'missing' : 'failed', message };
}
