/**
 * After a start, finds again what an earlier daemon began: by what is in its folder, by the machine, and by the log.
 * Invariant: nothing that runs is forgotten, nothing that ended is told twice, and no stranger is taken for ours.
 */
import type { Adoption } from '@zerd/core/jobs/adopt';
import { foldSession } from '@zerd/core/session/fold';
import type { SessionState } from '@zerd/core/session/state';
import type { SessionId } from '@zerd/protocol/common/ids';
import { ageOf, findProcess } from '../processes/list-processes.ts';
import { type JobRecord, readEnded, readShown, readStarted } from './folder.ts';
import type { LeftBehind } from './left-behind.ts';
import { type JobsRoom, later } from './room.ts';
import { noteEnd, type Tracked, track } from './tracked.ts';
import { type Follow, lookAt, noteAdoption, watchFolder } from './watch-folder.ts';

interface AdoptFollow extends Follow {
  readonly left: LeftBehind;
  readonly timeOut: (tracked: Tracked) => void;
  /** Absent: the log is folded here. */
  readonly stateOf?: (sessionId: SessionId) => SessionState;
}

export async function adoptJobs(room: JobsRoom, follow: AdoptFollow): Promise<void> {
  follow.left.adopt();
  const folds = new Map<SessionId, SessionState | undefined>();
  for (const { folder, record } of room.folders.list()) {
    const { sessionId } = record;
    if (!folds.has(sessionId)) folds.set(sessionId, foldOf(room, sessionId, follow.stateOf));
    adoptOne(room, follow, folds.get(sessionId), record, folder);
  }
}

/** Only of sessions that have a folder here; undefined: there is none any more. */
function foldOf(
  { store }: JobsRoom,
  sessionId: SessionId,
  stateOf = (id: SessionId) => foldSession(store.read(id)),
): SessionState | undefined {
  return store.session(sessionId) && stateOf(sessionId);
}

function adoptOne(
  room: JobsRoom,
  follow: AdoptFollow,
  state: SessionState | undefined,
  record: JobRecord,
  folder: string,
): void {
  const tracked = track(record, folder);
  tracked.started = readStarted(folder);
  tracked.shown = readShown(folder);
  const job = state?.jobs.get(record.jobId);
  const adoption = lookAt(tracked);
  const wasOpen = state?.openCalls.some(({ callId }) => callId === record.callId) ?? false;
  const neverBegan = tracked.started === undefined && adoption.kind === 'lost';
  if (job === undefined && (!wasOpen || neverBegan)) {
    discard(room, follow.left, tracked);
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
function discard(room: JobsRoom, left: LeftBehind, tracked: Tracked): void {
  void left.end(tracked);
  room.folders.remove(tracked.folder);
}

function goOn(room: JobsRoom, follow: AdoptFollow, tracked: Tracked, adoption: Adoption): void {
  noteAdoption(follow, tracked, adoption);
  if (adoption.kind === 'runs' || adoption.kind === 'runsUnwatched') limitTime(room, follow, tracked);
  watchFolder(room, follow, tracked);
}

function limitTime(room: JobsRoom, follow: AdoptFollow, tracked: Tracked): void {
  const { timeoutMs } = tracked.record;
  const found = tracked.started && findProcess(tracked.started.pid);
  if (timeoutMs === undefined || found === undefined) return;
  later(room, Math.max(0, timeoutMs - ageOf(found)), () => {
    if (tracked.ended === undefined) follow.timeOut(tracked);
  });
}
