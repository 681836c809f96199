/**
 * Does: keeps the fold of a long session from time to time, so that it is opened from there and not from its beginning.
 * Invariant (I1): a kept fold is only a shortcut: without it, or where it does not read, the log gives the same.
 */
import { deserialize, serialize } from 'node:v8';
import type { SessionState } from '@zerd/core/session/state';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Log } from '../base/log.ts';
import type { Store } from '../base/ports.ts';

export interface KeptFolds {
  /** One that nobody else holds. */
  find(sessionId: SessionId): SessionState | undefined;
  /** Keeps it when the last one is far behind. */
  offer(sessionId: SessionId, state: SessionState): void;
}

/** Reading so many events takes some tens of milliseconds; a kept fold takes a commit of its own. */
const everyEvents = 2_000;

export interface FoldParts {
  readonly store: Pick<Store, 'folds'>;
  readonly log: Log;
  /** Names this build; undefined: none is kept, as where the program is changed under it. */
  readonly build: () => string | undefined;
}

export function createKeptFolds({ store, log, build }: FoldParts): KeptFolds {
  const keptAt = new Map<SessionId, number>();

  function find(sessionId: SessionId): SessionState | undefined {
    const name = build();
    const kept = name === undefined ? undefined : store.folds.find(sessionId, name);
    if (kept === undefined) return undefined;
    try {
      const state = deserialize(kept.state) as SessionState;
      keptAt.set(sessionId, kept.seq);
      return state;
    } catch (error) {
      log.warn('a kept fold could not be read; the log is folded anew', { error, sessionId });
      return undefined;
    }
  }

  function offer(sessionId: SessionId, state: SessionState): void {
    if (state.lastSeq - (keptAt.get(sessionId) ?? 0) < everyEvents) return;
    const name = build();
    if (name === undefined) return;
    // Also where it fails: the next try comes as far behind.
    keptAt.set(sessionId, state.lastSeq);
    try {
      store.folds.keep(sessionId, name, { seq: state.lastSeq, state: serialize(state) });
    } catch (error) {
      log.warn('a fold could not be kept', { error, sessionId });
    }
  }

  return { find, offer };
}
