/**
 * Ends what is left of commands that are to end, and does not let go before it is gone: what survives its five seconds (it
 * waits in the kernel, or is another user's) is tried again, ever more rarely, in sight, and by the next daemon
 * too. Invariant: it is written down before its folder is removed, without a word of what the command was.
 */
import type { LeftProcesses } from '../base/job-ports.ts';
import { bootId } from '../processes/list-processes.ts';
import type { Known } from '../processes/process-tree.ts';
import { type LeftRecord, openLeftRecords } from './left-records.ts';
import { type JobsRoom, later } from './room.ts';
import { type Tracked, treeOf } from './tracked.ts';

export interface LeftBehind {
  /** True: nothing is left. Takes 5 s at most, and never rejects. `onGone`: nothing is left by now, after a false. */
  end(tracked: Tracked, onGone?: () => void): Promise<boolean>;
  list(): readonly LeftProcesses[];
  /** Goes on with what an earlier daemon could not end. */
  adopt(): void;
}

const firstMs = 1_000;
const mostMs = 60_000;

interface Left {
  readonly record: LeftRecord;
  /** Those seen before, though they may have taken off the mark. */
  readonly known: Known;
  readonly onGone: (() => void) | undefined;
  pids: readonly number[];
}

export function createLeftBehind(room: JobsRoom): LeftBehind {
  const records = openLeftRecords(room);
  const all = new Map<string, Left>();

  const write = () => records.write([...all.values()].map(({ record }) => record));

  function begin(record: LeftRecord, onGone?: () => void): Left {
    const left = { record, known: new Map(), onGone, pids: [] };
    all.set(record.jobId, left);
    return left;
  }

  function over(left: Left): void {
    const { jobId } = left.record;
    if (all.get(jobId) === left) all.delete(jobId);
    write();
  }

  function look(left: Left, ms: number): void {
    const { jobId, tree } = left.record;
    // Whoever ended it once more goes on with it.
    if (all.get(jobId) !== left) return;
    left.pids = room.trees.kill(tree, left.known);
    if (left.pids.length > 0) later(room, ms, () => look(left, Math.min(mostMs, 2 * ms)), room.idleClock);
    else {
      room.log.info('what a command left behind has ended', { jobId });
      over(left);
      left.onGone?.();
    }
  }

  return {
    async end(tracked, onGone) {
      const { jobId } = tracked.record;
      const sinceAt = Math.round(room.clock.wall());
      const left = begin({ jobId, tree: treeOf(tracked), bootId: bootId(), sinceAt }, onGone);
      write();
      const ending = room.trees
        .end(left.record.tree, room.clock, left.known)
        .finally(() => room.writing.delete(ending));
      room.writing.add(ending);
      const gone = await ending;
      if (gone) over(left);
      else {
        room.log.warn('what a command left behind could not be ended; it is tried again', { jobId });
        if (!room.closed) look(left, firstMs);
      }
      return gone;
    },
    list: () =>
      [...all.values()]
        .filter(({ pids }) => pids.length > 0)
        .map(({ record: { jobId, sinceAt }, pids }) => ({ jobId, sinceAt, pids })),
    adopt() {
      for (const record of records.read()) if (record.bootId === bootId()) look(begin(record), firstMs);
      write();
    },
  };
}
