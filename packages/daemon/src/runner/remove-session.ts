/**
 * Does: removes a session with the sub-agents that worked for it, or a secret from everything that is kept. Invariant:
 * nothing that runs is taken from under itself: with a turn in the way it is refused and nothing changes.
 */
import { ZerdError } from '@zerd/protocol/common/errors';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Store } from '../base/ports.ts';
import type { Book } from './book.ts';
import type { RunningTurns } from './turns/running-turns.ts';

export interface RemovalParts {
  readonly store: Store;
  readonly book: Book;
  readonly hold: RunningTurns['hold'];
  /** Ends what goes on for it beside its turns. */
  readonly leave: (sessionId: SessionId) => Promise<void>;
}

/** The sessions that are gone. Rejects with unknown_session, turn_running or store_failed. */
export async function removeSession(
  { store, book, hold, leave }: RemovalParts,
  sessionId: SessionId,
): Promise<readonly SessionId[]> {
  if (store.session(sessionId) === undefined)
    throw new ZerdError('unknown_session', `There is no session ${sessionId} in this repository; nothing was removed.`);
  const sessions = familyOf(store, sessionId);
  const doing = { sessions, now: `Session ${sessionId} is being removed`, not: 'nothing was removed' };
  await hold(doing, async () => {
    for (const id of sessions) {
      await leave(id);
      // Also when something of it could not be removed: what is known of it here counts no more.
      await store.removeSession(id).finally(() => book.drop(id));
    }
  });
  return sessions;
}

/** With those that work for it, the deepest first. */
export function familyOf(store: Store, sessionId: SessionId): readonly SessionId[] {
  const own = store.sessions().filter(({ parentId }) => parentId === sessionId);
  return [...own.flatMap((row) => familyOf(store, row.sessionId)), sessionId];
}

/** Shorter ones would take half of every text with them. */
const leastSecret = 6;

/** Rejects with invalid_params, turn_running or store_failed. */
export async function forgetSecret(
  { store, hold }: Pick<RemovalParts, 'store' | 'hold'>,
  secret: string,
): ReturnType<Store['forget']> {
  if (secret.length < leastSecret || secret.trim() === '')
    throw new ZerdError(
      'invalid_params',
      `A secret has ${leastSecret} characters or more: a shorter one would be found in half of every text. Nothing was changed.`,
    );
  const doing = { now: 'A secret is being removed', not: 'nothing was changed' };
  return hold(doing, () => store.forget(secret));
}
