/**
 * Says in the folder of a command that its host waits for room on the disk, for a daemon that came later and hears no
 * report. Invariant: it takes no room itself: it is in the mode of a file that is there from the beginning.
 */
import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { recordNames } from './orders.ts';

const usual = 0o600;
const waiting = 0o400;

/** Where the file system cannot take it, nobody sees the wait. */
export function markRoom(folder: string, full: boolean): void {
  try {
    chmodSync(join(folder, recordNames.job), full ? waiting : usual);
  } catch {
    return;
  }
}

/** Since when, in milliseconds of the epoch; undefined: it does not wait. */
export function waitsForRoomSince(folder: string): number | undefined {
  const stats = statSync(join(folder, recordNames.job), { throwIfNoEntry: false });
  return stats !== undefined && (stats.mode & 0o777) === waiting ? stats.ctimeMs : undefined;
}
