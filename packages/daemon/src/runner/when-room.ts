/**
 * Does: holds whoever writes for a turn while the disk is full, in sight, and lets it go on by itself when there is room
 * (F-37). Invariant: nothing is skipped and nothing written twice; an interrupt ends the wait, and what ends the turn is
 * then written into the room that was kept for it.
 */
import { isZerdError } from '@zerd/protocol/common/errors';
import type { Archive, Store, Transcripts } from '../base/ports.ts';
import type { TurnContext } from './turn-context.ts';

export type Pausing = Pick<TurnContext, 'clock' | 'log' | 'waits' | 'sessionId' | 'signal'> & {
  readonly store: Pick<Store, 'releaseReserve'>;
};

const againAfterMs = 5_000;
/** As long as a person is waited for. */
const longestMs = 24 * 60 * 60_000;

/** `work` keeps all or nothing. Rejects like it, but with disk_full only after a day or when interrupted. */
export async function whenRoom<T>(turn: Pausing, work: () => Promise<T>): Promise<T> {
  let shown: Disposable | undefined;
  const deadline = turn.clock.now() + longestMs;
  try {
    for (;;) {
      const done = await unlessFull(work);
      if (done.kind === 'done') return done.value;
      if (turn.signal.aborted) return await lastWords(turn, work, done.full);
      if (turn.clock.now() >= deadline) throw done.full;
      shown ??= show(turn, done.full, deadline);
      // Interrupted or not: it is tried once more.
      await turn.clock.sleep(againAfterMs, turn.signal).catch(() => undefined);
    }
  } finally {
    shown?.[Symbol.dispose]();
  }
}

type Tried<T> = { readonly kind: 'done'; readonly value: T } | { readonly kind: 'full'; readonly full: unknown };

async function unlessFull<T>(work: () => Promise<T>): Promise<Tried<T>> {
  try {
    return { kind: 'done', value: await work() };
  } catch (error) {
    if (isZerdError(error) && error.code === 'disk_full') return { kind: 'full', full: error };
    throw error;
  }
}

function show({ log, waits, sessionId }: Pausing, error: unknown, deadline: number): Disposable {
  log.error('the disk is full: a turn is paused until there is room', { error, sessionId });
  return waits.begin('room on the disk', sessionId, deadline);
}

async function lastWords<T>({ store }: Pausing, work: () => Promise<T>, full: unknown): Promise<T> {
  if (store.releaseReserve?.() !== true) throw full;
  return await work();
}

export function archiveWithRoom(turn: Pausing, archive: Archive): Archive {
  return {
    ...archive,
    put: (body) => whenRoom(turn, () => archive.put(body)),
    adopt: (file) => whenRoom(turn, () => archive.adopt(file)),
  };
}

export function transcriptsWithRoom(turn: Pausing, transcripts: Transcripts): Transcripts {
  return { ...transcripts, append: (id, events) => whenRoom(turn, () => transcripts.append(id, events)) };
}
