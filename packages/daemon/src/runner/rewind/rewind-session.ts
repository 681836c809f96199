/**
 * Does: goes back to an earlier point of a session: puts the files back that its tools changed since, then forks it there.
 * Invariant: nothing is lost: the session stays as it is, and what a file held is in the archive. A rewind that was cut
 * off is done again: what is back already stays.
 */
import { changesSince, cutOf, waysBack } from '@zerd/core/session/rewind';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { ResultInputOf } from '@zerd/protocol/common/methods';
import { forkSession } from '../fork-session.ts';
import type { RunnerParts } from '../parts.ts';
import { familyOf, refuseBusy } from '../remove-session.ts';
import type { RewindWish } from '../runner.ts';
import { type PutBack, putBack } from './put-back.ts';

type Parts = Pick<RunnerParts, 'store' | 'clock' | 'root'> & { readonly isRunning: (id: SessionId) => boolean };

/** Rejects with invalid_params, turn_running or store_failed. */
export async function rewindSession(parts: Parts, wish: RewindWish): Promise<ResultInputOf<'session/rewind'>> {
  const { store, root, isRunning } = parts;
  const { sessionId, preview = false, force = false } = wish;
  const cut = cutOf(store.read(sessionId), wish);
  if (cut === undefined) throw noSuchPoint(wish);
  if (!preview) refuseBusy(familyOf(store, sessionId), isRunning, 'nothing was taken back');
  const { files: changes, commands } = changesSince((id) => store.read(id), sessionId, cut.seq);
  const files: PutBack[] = [];
  const { signal } = new AbortController();
  for (const way of waysBack(changes))
    files.push(await putBack(way, { root, archive: store.archive, signal, force, preview }));
  const fork = preview ? {} : { sessionId: (await forkSession(parts, { sessionId, atSeq: cut.seq })).sessionId };
  return { ...fork, ...cut, files, commands };
}

function noSuchPoint({ sessionId, atSeq, turns = 1 }: RewindWish): ZerdError {
  const missing =
    atSeq === undefined
      ? `Session ${sessionId} has ${turns === 1 ? 'no message' : `fewer than ${turns} messages`} to take back.`
      : `Session ${sessionId} has no event ${atSeq}.`;
  return new ZerdError('invalid_params', `${missing} Nothing was changed.`);
}
