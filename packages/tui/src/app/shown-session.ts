/**
 * Which session is shown: the one that was asked for last. Invariants: nothing of another one is told, also where that
 * opens late; what is said where there is none begins one, however much is said until it is there.
 */
import type { SessionId } from '@zerd/protocol/common/ids';
import type { SessionLink, SessionListener } from './session-link.ts';

export interface ShownSession {
  /** Undefined: there is none, or it opens. */
  readonly link: SessionLink | undefined;
  /** Undefined: none. Settles when it is there, or another one was asked for; rejects where it cannot be opened. */
  open(sessionId: SessionId | undefined): Promise<void>;
  /** The one that is shown or opens, else one that is begun now. */
  orBegun(): Promise<SessionLink>;
  close(): void;
}

export interface ShownParts {
  readonly link: (sessionId: SessionId, listener: SessionListener) => Promise<SessionLink>;
  readonly create: () => Promise<SessionId>;
  /** Nothing of the one before is shown any more; the listener of the one that opens. */
  readonly turnTo: (sessionId: SessionId | undefined) => SessionListener;
}

export function createShownSession({ link: openLink, create, turnTo }: ShownParts): ShownSession {
  let link: SessionLink | undefined;
  let opening: Promise<void> = Promise.resolve();
  let beginning: Promise<SessionLink> | undefined;
  let newest = 0;

  async function openNow(sessionId: SessionId | undefined): Promise<void> {
    const mine = ++newest;
    const isShown = () => mine === newest;
    link?.close();
    link = undefined;
    const listener = turnTo(sessionId);
    if (sessionId === undefined) return;
    try {
      const one = await openLink(sessionId, whileShown(isShown, listener));
      if (isShown()) link = one;
      else one.close();
    } catch (error) {
      if (isShown()) throw error;
    }
  }

  function open(sessionId: SessionId | undefined): Promise<void> {
    opening = openNow(sessionId);
    return opening;
  }

  /** Whoever opened it hears why it failed. */
  async function opened(): Promise<void> {
    for (let waited: typeof opening | undefined; waited !== opening; ) {
      waited = opening;
      await waited.catch(() => undefined);
    }
  }

  async function begin(): Promise<SessionLink> {
    const before = newest;
    const sessionId = await create();
    if (newest === before) await open(sessionId);
    if (link?.sessionId === sessionId) return link;
    throw new Error('Another session was opened meanwhile: nothing was said.');
  }

  return {
    get link() {
      return link;
    },
    open,
    async orBegun() {
      if (beginning === undefined) await opened();
      if (link !== undefined) return link;
      beginning ??= begin().finally(() => {
        beginning = undefined;
      });
      return beginning;
    },
    close: () => link?.close(),
  };
}

function whileShown(isShown: () => boolean, listener: SessionListener): SessionListener {
  return {
    event: (notice) => isShown() && listener.event(notice),
    delta: (notice) => isShown() && listener.delta(notice),
    output: (notice) => isShown() && listener.output(notice),
    pending: (notice) => isShown() && listener.pending(notice),
    synced: (snapshot) => isShown() && listener.synced(snapshot),
    lost: (why) => isShown() && listener.lost(why),
  };
}
