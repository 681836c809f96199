/**
 * Keeps what is done to sessions beside their turns: one is taken back or removed, or a secret is removed from all.
 * Invariant: meanwhile no turn of such a session begins, and no other such work.
 */
import { ZerdError } from '@zerd/protocol/common/errors';
import type { SessionId } from '@zerd/protocol/common/ids';

export interface Doing {
  /** Whose; absent: those of all sessions. */
  readonly sessions?: readonly SessionId[];
  /** A clause for whoever is refused meanwhile: "Session x is being taken back". */
  readonly now: string;
  /** What is not done when something is in the way: "nothing was taken back". */
  readonly not: string;
}

export interface Holds {
  /** Whoever calls it has looked that nothing is in the way, in the same instant. */
  run<T>(doing: Doing, work: () => Promise<T>): Promise<T>;
  has(sessionId: SessionId): boolean;
  /** Throws turn_running when something is done to one of these. */
  refuse(wish: Pick<Doing, 'sessions' | 'not'>): void;
  /** Settles when all that is under way has. */
  settled(): Promise<unknown>;
}

/** `onRelease`: turns of this session may begin again. */
export function createHolds(onRelease: (sessionId: SessionId) => void): Holds {
  const underWay = new Map<Doing, Promise<unknown>>();
  const holderOf = (sessions: readonly SessionId[] | undefined) =>
    [...underWay.keys()].find((doing) => overlap(doing.sessions, sessions));

  return {
    has: (sessionId) => holderOf([sessionId]) !== undefined,
    refuse({ sessions, not }) {
      const holder = holderOf(sessions);
      if (holder === undefined) return;
      throw new ZerdError('turn_running', `${holder.now}; ${not}. Try again when that is done.`);
    },
    settled: () => Promise.allSettled(underWay.values()),
    async run(doing, work) {
      const whole = work();
      underWay.set(doing, whole);
      try {
        return await whole;
      } finally {
        underWay.delete(doing);
        for (const sessionId of doing.sessions ?? []) onRelease(sessionId);
      }
    },
  };
}

function overlap(some: readonly SessionId[] | undefined, others: readonly SessionId[] | undefined): boolean {
  return some === undefined || others === undefined || some.some((sessionId) => others.includes(sessionId));
}
