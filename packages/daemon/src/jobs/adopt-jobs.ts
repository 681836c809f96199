/**
 * After a start, finds again what an earlier daemon began: by what is in its folder, by the machine, and by the log.
 * Invariant: nothing that runs is forgotten, nothing that ended is told twice, and no stranger is taken for ours.
 */
import { type Adoption, decideAdoption } from '@zerd/core/jobs/adopt';
import { foldSession } from '@zerd/core/session/fold';
import type { SessionState } from '@zerd/core/session/state';
import type { SessionId } from '@zerd/protocol/common/ids';
import { ageOf, bootId, findProcess } from '../processes/list-processes.ts';
import { endTree, membersOf } from '../processes/process-tree.ts';
import { type JobRecord, readEnded, readGone, readShown, readStarted } from './folder.ts';
import { noteEnd } from './hosts.ts';
import { type JobsRoom, later } from './room.ts';
import { type Tracked, track, treeOf } from './tracked.ts';

interface Follow {
  readonly settle: (tracked: Tracked) => void;
  readonly lose: (tracked: Tracked, reason: string) => void;
  readonly timeOut: (tracked: Tracked) => void;
}

const lookMs = 500;

export async function adoptJobs(room: JobsRoom, follow: Follow): Promise<void> {
  const folds = new Map<SessionId, SessionState | undefined>();
  for (const { folder, record } of room.folders.list()) {
    const { sessionId } = record;
    if (!folds.has(sessionId)) folds.set(sessionId, foldOf(room, sessionId));
    adoptOne(room, follow, folds.get(sessionId), record, folder);
  }
}

/** Only of sessions that have a folder here; undefined: there is none any more. */
function foldOf({ store }: JobsRoom, sessionId: SessionId): SessionState | undefined {
  return store.session(sessionId) && foldSession(store.read(sessionId));
}

function adoptOne(
  room: JobsRoom,
  follow: Follow,
  state: SessionState | undefined,
  record: JobRecord,
  folder: string,
): void {
  const tracked = track(record, folder);
  tracked.started = readStarted(folder);
  tracked.shown = readShown(folder);
  const job = state?.jobs.get(record.jobId);
  const adoption = look(tracked);
  const wasOpen = state?.openCalls.some(({ callId }) => callId === record.callId) ?? false;
  const neverBegan = tracked.started === undefined && adoption.kind === 'lost';
  if (job === undefined && (!wasOpen || neverBegan)) {
    discard(room, tracked);
    return;
  }
  room.tracked.set(record.jobId, tracked);
  tracked.inLog = job !== undefined;
  tracked.phase = 'job';
  if (job?.finished !== undefined) {
    tracked.phase = 'over';
    tracked.finishing = true;
    tracked.end = job.finished;
    tracked.archiveId = job.finished.archiveId;
    tracked.bytes = job.finished.bytes;
    tracked.logged.resolve();
  }
  const ended = readEnded(folder);
  if (ended !== undefined) noteEnd(tracked, ended);
  // Its shell had ended before it went on as a job: it is over when nothing is left of it.
  tracked.untilGone = ended !== undefined && (job === undefined || ended.at <= job.startedAt);
  goOn(room, follow, tracked, adoption);
  if (job?.told && tracked.gone) room.folders.remove(folder);
}

/** The log has all there is to say of it: what still runs was being ended when the daemon was. */
function discard(room: JobsRoom, tracked: Tracked): void {
  void endTree(treeOf(tracked), room.clock);
  room.folders.remove(tracked.folder);
}

function look(tracked: Tracked): Adoption {
  const { started, folder } = tracked;
  const current = started === undefined || started.bootId === bootId();
  const host = started && findProcess(started.host.pid);
  return decideAdoption({
    started,
    ended: readEnded(folder) !== undefined,
    gone: readGone(folder),
    bootId: bootId(),
    processStartedAt: started && findProcess(started.pid)?.startedAt,
    alive: current ? membersOf(treeOf(tracked)).length : 0,
    hostAlive: current && host !== undefined && host.startedAt === started?.host.startedAt,
  });
}

function goOn(room: JobsRoom, follow: Follow, tracked: Tracked, adoption: Adoption): void {
  switch (adoption.kind) {
    case 'ended':
      tracked.alive = adoption.alive;
      tracked.gone = adoption.alive === 0;
      break;
    case 'lost':
      follow.lose(tracked, adoption.reason);
      break;
    case 'runs':
    case 'runsUnwatched':
      limitTime(room, follow, tracked);
      break;
  }
  if (!tracked.gone) watch(room, follow, tracked);
  follow.settle(tracked);
}

/** The host writes to files; it does not know this daemon. */
function watch(room: JobsRoom, follow: Follow, tracked: Tracked): void {
  later(room, lookMs, () => {
    const adoption = look(tracked);
    if (adoption.kind === 'lost' && !tracked.gone) return follow.lose(tracked, adoption.reason);
    if (adoption.kind === 'ended') {
      const ended = readEnded(tracked.folder);
      if (ended !== undefined && tracked.ended === undefined) noteEnd(tracked, ended);
      tracked.alive = adoption.alive;
      tracked.gone = adoption.alive === 0;
      follow.settle(tracked);
    }
    if (!tracked.gone) watch(room, follow, tracked);
  });
}

function limitTime(room: JobsRoom, follow: Follow, tracked: Tracked): void {
  const { timeoutMs } = tracked.record;
  const found = tracked.started && findProcess(tracked.started.pid);
  if (timeoutMs === undefined || found === undefined) return;
  later(room, Math.max(0, timeoutMs - ageOf(found)), () => {
    if (tracked.ended === undefined) follow.timeOut(tracked);
  });
}
