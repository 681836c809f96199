/**
 * Keeps the folds of the sessions in use. Invariant (I1): a fold is only ever the log applied; it moves when the store
 * has committed, in the order of the commits, before anyone who appended goes on.
 */
import { applyEvent, foldFurther, foldSession } from '@zerd/core/session/fold';
import type { SessionState } from '@zerd/core/session/state';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Store } from '../base/ports.ts';
import type { KeptFolds } from './kept-folds.ts';

/** Events read at once: bounds what a long log takes of the memory. */
const pageEvents = 500;

/** Folds kept in memory, the most recently used ones; another is read again from the log. */
const kept = 32;

export interface Book {
  /** Throws unknown_session. */
  state(sessionId: SessionId): SessionState;
  append(sessionId: SessionId, events: readonly SessionEvent[]): Promise<SessionState>;
  /** Its log is gone. */
  drop(sessionId: SessionId): void;
}

export function openBook(store: Store, shortcuts: KeptFolds = noShortcuts): Book {
  const folds = new Map<SessionId, SessionState>();
  store.onCommit((sessionId, events) => {
    const fold = folds.get(sessionId);
    if (!fold) return;
    const next = events.reduce(applyEvent, fold);
    folds.set(sessionId, next);
    shortcuts.offer(sessionId, next);
  });
  function state(sessionId: SessionId): SessionState {
    const fold = folds.get(sessionId) ?? read(store, sessionId, shortcuts);
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

const noShortcuts: KeptFolds = { find: () => undefined, offer: () => {} };

function read(store: Store, sessionId: SessionId, shortcuts: KeptFolds): SessionState {
  let state = shortcuts.find(sessionId) ?? foldSession([]);
  for (;;) {
    const page = store.read(sessionId, state.lastSeq, pageEvents);
    state = foldFurther(state, page);
    if (page.length < pageEvents) break;
  }
  if (state.lastSeq === 0)
    throw new ZerdError('unknown_session', `There is no session ${sessionId} in this repository.`);
  shortcuts.offer(sessionId, state);
  return state;
}
