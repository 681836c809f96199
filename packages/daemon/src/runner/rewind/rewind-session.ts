/**
 * Does: goes back to an earlier point of a session: puts the files back that its tools changed since, then forks it there.
 * Invariant: nothing is lost: the session stays as it is, and what a file held is in the archive. A rewind that was cut
 * off is done again: what is back already stays, and what it left beside a file goes.
 */
import { relative, resolve, sep } from 'node:path';
import { changesSince, cutOf, type FileChange, foldersMade, waysBack } from '@zerd/core/session/rewind';
import { isZerdError, ZerdError } from '@zerd/protocol/common/errors';
import type { ResultInputOf } from '@zerd/protocol/common/methods';
import { sweepBeside } from '../../files/sweep-beside.ts';
import { forkSession } from '../fork-session.ts';
import type { RunnerParts } from '../parts.ts';
import { familyOf } from '../remove-session.ts';
import type { RewindWish } from '../runner.ts';
import type { RunningTurns } from '../turns/running-turns.ts';
import { type PutBack, putBack } from './put-back.ts';
import { removeEmpty } from './remove-empty.ts';

type Parts = Pick<RunnerParts, 'store' | 'clock' | 'root'> & { readonly hold: RunningTurns['hold'] };

type Rewound = ResultInputOf<'session/rewind'>;

/** Rejects with invalid_params, turn_running or store_failed. */
export async function rewindSession(parts: Parts, wish: RewindWish): Promise<Rewound> {
  if (wish.preview) return await goBack(parts, wish);
  const sessions = familyOf(parts.store, wish.sessionId);
  const doing = { sessions, now: `Session ${wish.sessionId} is being taken back`, not: 'nothing was taken back' };
  return await parts.hold(doing, () => goBack(parts, wish));
}

async function goBack(parts: Parts, wish: RewindWish): Promise<Rewound> {
  const { store, root } = parts;
  const { sessionId, preview = false, force = false } = wish;
  const events = store.read(sessionId);
  const cut = cutOf(events, wish);
  if (cut === undefined) throw noSuchPoint(wish);
  const { files: taken, ...unknown } = changesSince(
    (id) => (id === sessionId ? events : store.read(id)),
    sessionId,
    cut.seq,
  );
  const files: PutBack[] = [];
  const { signal } = new AbortController();
  try {
    const changes = taken.map((change) => named(root, change));
    const ways = waysBack(changes);
    if (!preview)
      await sweepBeside(
        root,
        ways.map(({ path }) => path),
      );
    for (const way of ways) files.push(await putBack(way, { root, archive: store.archive, signal, force, preview }));
    if (!preview) await removeEmpty(root, foldersMade(changes));
    const fork = preview ? {} : { sessionId: (await forkSession(parts, { sessionId, atSeq: cut.seq })).sessionId };
    return { ...fork, ...cut, files, ...unknown };
  } catch (error) {
    throw isZerdError(error) ? new ZerdError(error.code, cutOff(error.message, files), { cause: error }) : error;
  }
}

/** A call that was cut off has the path as the model gave it. */
function named(root: string, change: FileChange): FileChange {
  return { ...change, path: relative(root, resolve(root, change.path)).split(sep).join('/') };
}

function cutOff(why: string, files: readonly PutBack[]): string {
  const done = files.filter(({ outcome }) => outcome === 'put back' || outcome === 'removed').map(({ path }) => path);
  if (done.length === 0) return `${why} No file was changed, and there is no fork.`;
  const were = done.length === 1 ? 'A file was' : `${done.length} files were`;
  return `${why} ${were} put back or removed already (${namesOf(done)}), and there is no fork. Go back again to finish.`;
}

function namesOf(paths: readonly string[]): string {
  const more = paths.length - mostNamed;
  return `${paths.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const mostNamed = 10;

function noSuchPoint({ sessionId, atSeq, turns = 1 }: RewindWish): ZerdError {
  const missing =
    atSeq === undefined
      ? `Session ${sessionId} has ${turns === 1 ? 'no message' : `fewer than ${turns} messages`} to take back.`
      : `Session ${sessionId} has no event ${atSeq}.`;
  return new ZerdError('invalid_params', `${missing} Nothing was changed.`);
}
