/**
 * Keeps the folds of the sessions in use. Invariant (I1): a fold is only ever the log applied; it moves when the store
 * has committed, in the order of the commits, before anyone who appended goes on.
 */
import { applyEvent, foldSession } from '@zerd/core/session/fold';
import type { SessionState } from '@zerd/core/session/state';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Store } from '../base/ports.ts';

/** Folds kept in memory, the most recently used ones; another is read again from the log. */
const kept = 32;

export interface Book {
  /** Throws unknown_session. */
  state(sessionId: SessionId): SessionState;
  append(sessionId: SessionId, events: readonly SessionEvent[]): Promise<SessionState>;
  /** Its log is gone. */
  drop(sessionId: SessionId): void;
}

export function openBook(store: Store): Book {
  const folds = new Map<SessionId, SessionState>();
  store.onCommit((sessionId, events) => {
    const fold = folds.get(sessionId);
    if (fold) folds.set(sessionId, events.reduce(applyEvent, fold));
  });
  function state(sessionId: SessionId): SessionState {
    const fold = folds.get(sessionId) ?? read(store, sessionId);
    folds.delete(sessionId);
    folds.set(sessionId, fold);
    for (const oldest of folds.keys()) {
      if (folds.size <= kept) break;
      folds.delete(oldest);
    }
    return fold;
  }
  return {
    state,
    drop: (sessionId) => void folds.delete(sessionId),
    async append(sessionId, events) {
      await store.append(sessionId, events);
      return state(sessionId);
    },
  };
}

function read(store: Store, sessionId: SessionId): SessionState {
  const events = store.read(sessionId);
  if (events.length === 0)
    throw new ZerdError('unknown_session', `There is no session ${sessionId} in this repository.`);
  return foldSession(events);
}
