/** What was sent and is not answered yet: a daemon that is stopped or overloaded is told from one that has lost it (I8). */

export interface Unanswered {
  /** The same work, which counts as unanswered until it settles. */
  of<T>(work: Promise<T>): Promise<T>;
  readonly any: boolean;
  /** Undefined: nothing takes long. */
  says(now: number): string | undefined;
}

/** Shorter waits are no news. */
const shownAfterMs = 2_000;

export function createUnanswered(now: () => number): Unanswered {
  const since = new Map<Promise<unknown>, number>();
  return {
    of(work) {
      since.set(work, now());
      const settle = () => void since.delete(work);
      work.then(settle, settle);
      return work;
    },
    get any() {
      return since.size > 0;
    },
    says(at) {
      const waited = at - Math.min(...since.values());
      return waited >= shownAfterMs ? `waiting for the daemon, ${Math.round(waited / 1000)} s` : undefined;
    },
  };
}
