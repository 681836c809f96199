/**
 * Watches that the database still lies where it was opened. Invariant: what would be committed to a file that nobody can
 * open again is refused, never acknowledged.
 */
import { statSync } from 'node:fs';
import { ZerdError } from '@zerd/protocol/common/errors';
import type Database from 'better-sqlite3';

export interface InPlace {
  /** The file that was deleted, moved away or replaced since; undefined: none. */
  lost(): string | undefined;
  /** Throws store_failed when one was. */
  require(): void;
}

/** What is to be done while the daemon that had it open lives. */
export const exportLost =
  'Write what you need with `zerd export SESSION`, while this daemon can still read it; then run `zerdd stop --force`. The next one begins with what lies there.';

export function watchPlace({ name, memory }: Database.Database): InPlace {
  const files = memory ? [] : [name, `${name}-wal`];
  const seen = new Map<string, string>();

  /** The log comes into being with the first transaction. */
  function isLost(file: string): boolean {
    const now = identityOf(file);
    const before = seen.get(file);
    if (before === undefined && now !== undefined) seen.set(file, now);
    return before !== undefined && now !== before;
  }

  const lost = () => files.find(isLost);
  lost();
  return {
    lost,
    require() {
      const file = lost();
      if (file !== undefined)
        throw new ZerdError(
          'store_failed',
          `${file} was deleted or replaced while the daemon worked with it. Nothing of this was kept. ${exportLost}`,
        );
    },
  };
}

function identityOf(file: string): string | undefined {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}
