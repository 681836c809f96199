/**
 * Does: watches a command whose host does not report here, because an earlier daemon started it or because that host is
 * gone: by its folder and by its processes. Invariant: it ends when nothing of the command is left.
 */
import { type Adoption, decideAdoption } from '@zerd/core/jobs/adopt';
import { waitsForRoomSince } from '../processes/host/room-mark.ts';
import { bootId, findProcess } from '../processes/list-processes.ts';
import { membersOf } from '../processes/process-tree.ts';
import { readEnded, readGone } from './folder.ts';
import { type JobsRoom, later } from './room.ts';
import { showRoom } from './show-room.ts';
import { noteEnd, type Tracked, treeOf } from './tracked.ts';

export interface Follow {
  readonly settle: (tracked: Tracked) => void;
  readonly lose: (tracked: Tracked, reason: string) => void;
}

const lookMs = 500;
/** In the background, where nobody waits, it is looked at ever more rarely, down to this. */
const mostLookMs = 5_000;

export function lookAt(tracked: Tracked): Adoption {
  const { started, folder, unwatched } = tracked;
  const current = started === undefined || started.bootId === bootId();
  const host = started && findProcess(started.host.pid);
  const ended = readEnded(folder);
  return decideAdoption({
    started,
    ended: ended !== undefined,
    gone: ended?.alive === 0 || readGone(folder),
    bootId: bootId(),
    processStartedAt: started && findProcess(started.pid)?.startedAt,
    alive: current ? membersOf(treeOf(tracked)).length : 0,
    hostAlive: !unwatched && current && host !== undefined && host.startedAt === started?.host.startedAt,
  });
}

/** What was found, as the command's own facts. */
export function noteAdoption(follow: Follow, tracked: Tracked, adoption: Adoption): void {
  if (adoption.kind === 'lost') {
    follow.lose(tracked, adoption.reason);
    return;
  }
  if (adoption.kind !== 'ended') return;
  const ended = readEnded(tracked.folder);
  if (ended !== undefined && tracked.ended === undefined) noteEnd(tracked, ended);
  tracked.alive = adoption.alive;
  tracked.gone = adoption.alive === 0;
  follow.settle(tracked);
}

export function watchFolder(room: JobsRoom, follow: Follow, tracked: Tracked, ms = lookMs): void {
  showRoom(room, tracked, tracked.gone ? undefined : waitsSince(tracked));
  if (tracked.gone) return;
  const next = tracked.phase === 'call' || tracked.isWaitedFor ? lookMs : ms;
  later(room, next, () => {
    if (!tracked.gone) noteAdoption(follow, tracked, lookAt(tracked));
    watchFolder(room, follow, tracked, Math.min(next * 1.25, mostLookMs));
  });
}

/** What a dead host left says nothing. */
function waitsSince({ folder, started, unwatched }: Tracked): number | undefined {
  const host = started?.host;
  if (unwatched || host === undefined || findProcess(host.pid)?.startedAt !== host.startedAt) return undefined;
  return waitsForRoomSince(folder);
}
