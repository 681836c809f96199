/**
 * Does: holds whoever writes for a turn while the disk is full or no file can be opened, in sight, and lets it go on by
 * itself when there is room (F-37, F-42). Invariant: nothing is skipped and nothing written twice; an interrupt ends the wait, and what ends the turn is
 * then written into the room that was kept for it.
 */
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Clock } from '@zerd/protocol/node/clock';
import { isDiskFull, isOutOfFiles, roomPatienceMs, waitForFiles, waitForRoom } from '../base/full-disk.ts';
import type { Log } from '../base/log.ts';
import type { Archive, Store, Transcripts } from '../base/ports.ts';
import type { Waits } from '../base/waits.ts';

export interface Pausing {
  readonly sessionId: SessionId;
  /** Of the turn. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
  readonly waits: Waits;
  readonly store: Pick<Store, 'releaseReserve' | 'folder'>;
}

/**
 * `work` keeps all or nothing; `what` names it. Rejects like it, but with what says that the disk is full only after a day
 * or when interrupted. `atEnd`: it is also tried when the turn ends, in the room that was kept; else nothing of it is.
 */
export type WhenRoom = <T>(what: string, work: () => Promise<T>, atEnd?: 'tried' | 'left') => Promise<T>;

const againAfterMs = 5_000;

export function createWhenRoom(turn: Pausing): WhenRoom {
  /** Room was waited for as long as it is: what ends the turn waits no more. */
  let gaveUp = false;

  return async (what, work, atEnd = 'tried') => {
    let shown: Disposable | undefined;
    const deadline = turn.clock.now() + roomPatienceMs;
    try {
      for (;;) {
        const done = await unlessFull(work);
        if (done.kind === 'done') return done.value;
        if (turn.signal.aborted && atEnd === 'left') throw done.full;
        if (turn.signal.aborted || gaveUp) return await lastWords(turn, work, done.full);
        gaveUp = turn.clock.now() >= deadline;
        if (gaveUp) throw done.full;
        shown ??= show(turn, what, done.full, deadline);
        // Interrupted or not: it is tried once more.
        await turn.clock.sleep(againAfterMs, turn.signal).catch(() => undefined);
      }
    } finally {
      shown?.[Symbol.dispose]();
    }
  };
}

type Tried<T> = { readonly kind: 'done'; readonly value: T } | { readonly kind: 'full'; readonly full: unknown };

async function unlessFull<T>(work: () => Promise<T>): Promise<Tried<T>> {
  try {
    return { kind: 'done', value: await work() };
  } catch (error) {
    if (isDiskFull(error) || isOutOfFiles(error)) return { kind: 'full', full: error };
    throw error;
  }
}

function show({ log, waits, sessionId, store }: Pausing, what: string, error: unknown, deadline: number): Disposable {
  const full = isDiskFull(error);
  const why = full ? 'the disk is full' : 'too many files are open';
  log.error(`${why}: a turn is paused until there is room`, { error, sessionId });
  return waits.begin(full ? waitForRoom(what, store.folder) : waitForFiles(what), sessionId, deadline, 'blocks');
}

async function lastWords<T>({ store }: Pausing, work: () => Promise<T>, full: unknown): Promise<T> {
  if (isDiskFull(full) && store.releaseReserve?.() !== true) throw full;
  return await work();
}

export function archiveWithRoom(whenRoom: WhenRoom, archive: Archive): Archive {
  const what = 'the archive';
  return {
    ...archive,
    put: (body) => whenRoom(what, () => archive.put(body)),
    adopt: (file) => whenRoom(what, () => archive.adopt(file)),
  };
}

export function transcriptsWithRoom(whenRoom: WhenRoom, transcripts: Transcripts): Transcripts {
  return {
    ...transcripts,
    append: (id, events) => whenRoom('the transcript of the session', () => transcripts.append(id, events)),
  };
}
