/**
 * One at a time, over all processes of the user, changes what is kept or renews a token: a lock that the kernel holds and
 * frees with its process. Invariant: the lock file is never deleted.
 */
import { chmodSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { Clock } from '@zerd/protocol/node/clock';
import Database from 'better-sqlite3';

/** Longer than a question to a provider takes. */
const mostMs = 45_000;
const againMs = 25;

/** Rejects with store_failed when others hold it for too long, or nothing can be locked there. */
export async function underLock<T>(file: string, clock: Clock, task: () => Promise<T>): Promise<T> {
  const endsAt = clock.now() + mostMs;
  for (;;) {
    const held = take(file);
    if (held !== undefined) {
      try {
        return await task();
      } finally {
        held.close();
      }
    }
    if (clock.now() >= endsAt)
      throw new ZerdError('store_failed', `${file} was held by another process for too long. Nothing was changed.`);
    await clock.sleep(againMs);
  }
}

/** Undefined: another process, or another task of this one, has it. */
function take(file: string): Database.Database | undefined {
  let db: Database.Database | undefined;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    db = new Database(file, { timeout: 0 });
    db.pragma('journal_mode = MEMORY');
    db.exec('BEGIN EXCLUSIVE');
    chmodSync(file, 0o600);
    return db;
  } catch (error) {
    db?.close();
    const { code } = error as { code?: unknown };
    if (String(code).startsWith('SQLITE_BUSY')) return undefined;
    const foreign = code === 'SQLITE_NOTADB' ? ': something else was written into it. Move it away and try again' : '';
    throw new ZerdError('store_failed', `${file} cannot be locked (${String(code)})${foreign}. Nothing was changed.`);
  }
}
