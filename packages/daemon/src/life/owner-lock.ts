/**
 * Says who the daemon of a repository is (I6): a lock that the kernel holds for this process's life and frees with it.
 * Invariant: a lock file is never deleted, and never opened by anything else in this process: closing another descriptor
 * of it would free the lock.
 */
import { chmodSync, lstatSync } from 'node:fs';
import { ZerdError } from '@zerd/protocol/common/errors';
import Database from 'better-sqlite3';
import { ownFile } from './own-file.ts';

export interface OwnerLock {
  /** False when the file was removed or replaced: another process could then own the repository as well. */
  stillOurs(): boolean;
  release(): void;
}

/** Takes all of the locks or none. Undefined: another process holds one. Throws store_unsafe when locking fails. */
export function takeOwnerLocks(files: readonly string[]): OwnerLock | undefined {
  const held: OwnerLock[] = [];
  for (const file of files) {
    const lock = takeLock(file);
    if (!lock) {
      releaseAll(held);
      return undefined;
    }
    held.push(lock);
  }
  return { stillOurs: () => held.every((lock) => lock.stillOurs()), release: () => releaseAll(held) };
}

function releaseAll(held: readonly OwnerLock[]): void {
  for (const lock of held) lock.release();
}

function takeLock(file: string): OwnerLock | undefined {
  const db = open(file);
  try {
    // Nothing is ever written, so there is nothing to roll back and no journal to leave behind.
    db.pragma('journal_mode = MEMORY');
    db.exec('BEGIN EXCLUSIVE');
    chmodSync(file, 0o600);
  } catch (error) {
    db.close();
    if (isBusy(error)) return undefined;
    throw isForeign(error) ? foreign(file) : unsafe(file, error);
  }
  return { stillOurs: ownFile(file).stillOurs, release: () => void db.close() };
}

function open(file: string): Database.Database {
  // SQLite follows links: a lock elsewhere is another lock.
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() === false) throw unsafe(file, 'it is no file of its own');
  try {
    return new Database(file, { timeout: 0 });
  } catch (error) {
    throw unsafe(file, error);
  }
}

function isBusy(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}

/** Another disk or folder would not help: SQLite finds another content than an empty one. */
function isForeign(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'SQLITE_NOTADB';
}

function foreign(file: string): ZerdError {
  return new ZerdError(
    'daemon_unavailable',
    `${file} cannot be locked: something was written into it, and zerd never writes there. No daemon was started, and the file was left as it is. Nothing of your sessions is in it: move it away when \`zerdd list\` names no daemon of this repository, and try again.`,
  );
}

function unsafe(file: string, error: unknown): ZerdError {
  return new ZerdError('store_unsafe', `${file} cannot be locked: ${String(error)}. No daemon was started.`);
}
