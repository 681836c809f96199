/** Shows that what a command writes, or what is to be written of its end, waits in its host for room on the disk. */
import { roomPatienceMs, waitForRoom } from '../base/full-disk.ts';
import type { JobsRoom } from './room.ts';
import type { Tracked } from './tracked.ts';

/** `since`: by the time of day; undefined: it does not wait. */
export function showRoom({ waits, clock, store }: JobsRoom, tracked: Tracked, since: number | undefined): void {
  if (since === undefined) {
    tracked.waitsForRoom?.[Symbol.dispose]();
    tracked.waitsForRoom = undefined;
    return;
  }
  const waited = Math.max(0, clock.wall() - since);
  const deadline = clock.now() + Math.max(0, roomPatienceMs - waited);
  const name = waitForRoom('the output of a command', store.folder);
  tracked.waitsForRoom ??= waits.begin(name, tracked.record.sessionId, deadline, 'blocks');
}
