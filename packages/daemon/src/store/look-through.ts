/**
 * Looks through a large database a little at a time while it is used, as a check before its use would take seconds.
 * Invariant: it holds nobody up for more than some milliseconds; damage that it finds is told once, and kept for the next
 * start, which moves the database aside (F-39).
 */
import type { Clock } from '@zerd/protocol/node/clock';
import type Database from 'better-sqlite3';
import { damageOf, markSuspect } from './database.ts';
import { codeOf } from './failure.ts';

export interface LookThrough extends Disposable {
  /** What it has found so far. */
  state(): 'looking' | 'sound' | { readonly damage: string };
}

export interface LookParts {
  readonly db: Database.Database;
  readonly file: string;
  readonly clock: Clock;
  readonly told: (damage: string) => void;
}

/** Of the log at a time: two or three megabytes. */
const rows = 200;
const everyMs = 200;

export function lookThrough({ db, file, clock, told }: LookParts): LookThrough {
  const slice = db.prepare<[number, number], { last: number | null }>(
    'SELECT max(rowid) AS last, sum(length(data)) FROM (SELECT rowid, data FROM events WHERE rowid > ? ORDER BY rowid LIMIT ?)',
  );
  let state: ReturnType<LookThrough['state']> = 'looking';
  let after = 0;
  let timer = clock.setTimer(everyMs, look);

  function look(): void {
    try {
      const last = slice.get(after, rows)?.last ?? null;
      if (last === null) {
        state = 'sound';
        return;
      }
      after = last;
    } catch (error) {
      const damage = damageOf(error);
      if (damage !== undefined) {
        found(`${damage} (${codeOf(error)}), behind row ${after} of the log`);
        return;
      }
      // Another fault of the moment, as a disk that does not answer: the same slice is looked at again.
    }
    timer = clock.setTimer(everyMs, look);
  }

  function found(damage: string): void {
    state = { damage };
    markSuspect(file, damage);
    told(damage);
  }

  return { state: () => state, [Symbol.dispose]: () => timer[Symbol.dispose]() };
}
