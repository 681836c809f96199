/**
 * Follows the commands of this repository from their beginning until the log has their end. Invariants: a command that
 * went on in the background ends in the log once, after its beginning; its folder stays until the log and the model have
 * all there is to know of it; who goes away, a client or the daemon, ends none.
 */

import type { SessionId } from '@zerd/protocol/common/ids';
import type { CommandWish, Jobs, RunningCommand, StartedCommand } from '../base/job-ports.ts';
import { membersOf } from '../processes/process-tree.ts';
import { countOutput, readOutput, takeBody } from '../processes/read-output.ts';
import { adoptJobs } from './adopt-jobs.ts';
import { beginCommand } from './begin-command.ts';
import { finishJob } from './finish-job.ts';
import { writeShown } from './folder.ts';
import { followLog } from './follow-log.ts';
import { createHosts } from './hosts.ts';
import { newsOf, readJob } from './job-output.ts';
import { jobOf } from './job-view.ts';
import { createLeftBehind, type LeftBehind } from './left-behind.ts';
import { createJobsRoom, type JobsParts, type JobsRoom } from './room.ts';
import { endOf, isOver, type Tracked, treeOf } from './tracked.ts';
import { writeInput } from './write-input.ts';

export function createJobs(parts: JobsParts): Jobs {
  const room = createJobsRoom(parts);
  const follow = {
    settle: (tracked: Tracked) => settle(room, tracked),
    lose: (tracked: Tracked, reason: string) => lose(room, tracked, reason),
  };
  const hosts = createHosts(room, {
    ...follow,
    unwatched(tracked, reason) {
      tracked.alive = membersOf(treeOf(tracked)).length;
      tracked.settled.resolve({ outcome: 'lost', reason, alive: tracked.alive });
    },
  });
  const left = createLeftBehind(room);
  const log = followLog(room, follow.settle, (tracked) => void left.end(tracked));
  const find = (jobId: string) => {
    const tracked = room.tracked.get(jobId);
    return tracked?.phase === 'call' ? undefined : tracked;
  };
  const inBackground = () => [...room.tracked.values()].filter(({ phase }) => phase !== 'call');

  return {
    start: (wish) => start(room, hosts, wish),
    list: (sessionId) =>
      inBackground()
        .filter(({ record }) => sessionId === undefined || record.sessionId === sessionId)
        .map(jobOf),
    find(jobId) {
      const tracked = find(jobId);
      return tracked && jobOf(tracked);
    },
    running: () => inBackground().filter(({ phase }) => phase === 'job').length,
    read: async (jobId, offset, limit) => {
      const tracked = find(jobId);
      return tracked && readJob(room, tracked, offset, limit);
    },
    news: async (jobId) => {
      const tracked = room.tracked.get(jobId);
      return tracked ? newsOf(tracked) : '';
    },
    async ended(jobId) {
      const tracked = find(jobId);
      if (tracked === undefined) return;
      tracked.isWaitedFor = true;
      await tracked.logged.promise;
    },
    async stop(jobId, reason) {
      const tracked = find(jobId);
      return tracked === undefined || stop(room, left, tracked, 'stopped', reason);
    },
    async write(jobId, text) {
      const tracked = find(jobId);
      return tracked?.phase === 'job' && !isOver(tracked) ? writeInput(tracked, text) : 'ended';
    },
    stopOf: (sessionId) => stopOf(room, left, sessionId),
    left: left.list,
    adopt: (stateOf) =>
      adoptJobs(room, {
        ...follow,
        left,
        ...(stateOf === undefined ? {} : { stateOf }),
        timeOut: (tracked) => void stop(room, left, tracked, 'timedOut'),
      }),
    jobOfCall(sessionId, callId) {
      const found = [...room.tracked.values()].find(
        ({ record, phase, inLog }) =>
          record.sessionId === sessionId && record.callId === callId && phase === 'job' && !inLog,
      );
      return found && { jobId: found.record.jobId, command: found.record.command };
    },
    async close() {
      room.closed = true;
      log[Symbol.dispose]();
      hosts.close();
      for (const timer of room.timers) timer[Symbol.dispose]();
      await Promise.allSettled(room.writing);
    },
  };
}

async function start(
  room: JobsRoom,
  hosts: ReturnType<typeof createHosts>,
  wish: CommandWish,
): Promise<StartedCommand> {
  const begun = await beginCommand(room, hosts, wish);
  return begun.ok ? { ok: true, command: running(room, hosts, begun.tracked) } : begun;
}

function running(room: JobsRoom, hosts: ReturnType<typeof createHosts>, tracked: Tracked): RunningCommand {
  const { folder, record } = tracked;
  return {
    jobId: record.jobId,
    ended: tracked.settled.promise,
    async end() {
      const gone = await endAll(room, tracked);
      tracked.gone ||= gone;
      return gone;
    },
    async written(offset, most) {
      const { bytes: totalBytes } = await countOutput(folder);
      const from = Math.max(offset, totalBytes - most);
      const { bytes, start } = await readOutput(folder, from, Math.min(totalBytes, from + most));
      return { bytes, offset: start, totalBytes };
    },
    async output() {
      const { ended } = tracked;
      const count = ended?.output ?? (await countOutput(folder));
      tracked.shown = count.bytes;
      const closed = ended?.closed === true && ended.alive === 0;
      return takeBody(folder, count, closed, room.archive.spoolPath);
    },
    keep() {
      tracked.phase = 'job';
      tracked.untilGone = tracked.ended !== undefined;
      writeShown(folder, tracked.shown);
      hosts.background(tracked);
    },
  };
}

/** The room does not close before it is done: a daemon that stops leaves no half-ended tree. */
function endAll(room: JobsRoom, tracked: Tracked): Promise<boolean> {
  const ending = room.trees.end(treeOf(tracked), room.clock).finally(() => room.writing.delete(ending));
  room.writing.add(ending);
  return ending;
}

/** Something new is known of it: its call hears of it, and a job that is over is written into the log. */
function settle(room: JobsRoom, tracked: Tracked): void {
  if (tracked.ended === undefined && !tracked.gone) return;
  tracked.settled.resolve(endOf(tracked, tracked.gone ? 0 : tracked.alive));
  if (tracked.phase !== 'job' || !tracked.inLog || !isOver(tracked) || tracked.finishing) return;
  const left = tracked.gone ? 0 : tracked.alive;
  finishJob(room, tracked, tracked.end ?? endOf(tracked, left));
}

function lose(room: JobsRoom, tracked: Tracked, reason: string): void {
  tracked.gone = true;
  tracked.end = tracked.stopped ?? { outcome: 'lost', reason };
  tracked.settled.resolve(tracked.end);
  settle(room, tracked);
}

/** What outlives it is tried again: the job ends in the log when it is gone. */
async function stop(
  room: JobsRoom,
  left: LeftBehind,
  tracked: Tracked,
  outcome: 'stopped' | 'timedOut',
  reason?: string,
): Promise<boolean> {
  if (tracked.phase === 'job' && tracked.ended === undefined)
    tracked.stopped = { outcome, ...(reason === undefined ? {} : { reason }) };
  else if (tracked.phase === 'job' && tracked.untilGone) tracked.stopped = { outcome };
  const gone = await left.end(tracked, () => void noteGone(room, tracked));
  if (gone) await noteGone(room, tracked);
  return gone;
}

async function noteGone(room: JobsRoom, tracked: Tracked): Promise<void> {
  tracked.alive = 0;
  // The host writes its record of the end within moments; a host that is gone never does.
  await Promise.race([tracked.settled.promise, room.clock.sleep(recordMs)]);
  tracked.gone = true;
  settle(room, tracked);
}

/** How long the record of an end may take to arrive when the processes are gone. */
const recordMs = 500;

async function stopOf(room: JobsRoom, left: LeftBehind, sessionId: SessionId): Promise<boolean> {
  const own = [...room.tracked.values()].filter(({ record }) => record.sessionId === sessionId);
  const gone = await Promise.all(
    own.map(async (tracked) => {
      // Nothing of it goes into the log any more.
      tracked.finishing = true;
      tracked.phase = 'over';
      const all = await left.end(tracked);
      room.tracked.delete(tracked.record.jobId);
      tracked.waitsForRoom?.[Symbol.dispose]();
      room.folders.remove(tracked.folder);
      tracked.logged.resolve();
      return all;
    }),
  );
  return gone.every(Boolean);
}
