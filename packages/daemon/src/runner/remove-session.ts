/**
 * Does: removes a session with the sub-agents that worked for it, or a secret from everything that is kept. Invariant:
 * nothing that runs is taken from under itself: with a turn in the way it is refused and nothing changes.
 */
import { ZerdError } from '@zerd/protocol/common/errors';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Store } from '../base/ports.ts';
import type { Book } from './book.ts';

export interface RemovalParts {
  readonly store: Store;
  readonly book: Book;
  readonly isRunning: (sessionId: SessionId) => boolean;
  /** Ends what goes on for it beside its turns. */
  readonly leave: (sessionId: SessionId) => Promise<void>;
}

/** The sessions that are gone. Rejects with unknown_session, turn_running or store_failed. */
export async function removeSession(
  { store, book, isRunning, leave }: RemovalParts,
  sessionId: SessionId,
): Promise<readonly SessionId[]> {
  if (store.session(sessionId) === undefined)
    throw new ZerdError('unknown_session', `There is no session ${sessionId} in this repository; nothing was removed.`);
  const family = familyOf(store, sessionId);
  refuseBusy(family, isRunning, 'nothing was removed');
  for (const id of family) {
    await leave(id);
    // Also when something of it could not be removed: what is known of it here counts no more.
    await store.removeSession(id).finally(() => book.drop(id));
  }
  return family;
}

/** With those that work for it, the deepest first. */
export function familyOf(store: Store, sessionId: SessionId): readonly SessionId[] {
  const own = store.sessions().filter(({ parentId }) => parentId === sessionId);
  return [...own.flatMap((row) => familyOf(store, row.sessionId)), sessionId];
}

/** Throws turn_running. `unchanged`: what was not done. */
export function refuseBusy(
  family: readonly SessionId[],
  isRunning: (sessionId: SessionId) => boolean,
  unchanged: string,
): void {
  const busy = family.find(isRunning);
  if (busy === undefined) return;
  const message = `Session ${busy} is running a turn; ${unchanged}. Wait for its end or interrupt it.`;
  throw new ZerdError('turn_running', message);
}

/** Shorter ones would take half of every text with them. */
const leastSecret = 6;

/** Rejects with invalid_params, turn_running or store_failed. */
export async function forgetSecret(
  { store, runningTurns }: { readonly store: Store; readonly runningTurns: () => number },
  secret: string,
): ReturnType<Store['forget']> {
  if (secret.length < leastSecret || secret.trim() === '')
    throw new ZerdError(
      'invalid_params',
      `A secret has ${leastSecret} characters or more: a shorter one would be found in half of every text. Nothing was changed.`,
    );
  if (runningTurns() > 0)
    throw new ZerdError(
      'turn_running',
      'Turns are running; nothing was changed. Wait for their end or interrupt them.',
    );
  return store.forget(secret);
}
