/**
 * Lets the first of several sub-agents start alone: a provider's cache entry can be read only once the first answer
 * begins, and whoever asks before pays for the whole prefix again. Invariant: nobody waits longer than the bound.
 */
import type { Clock } from '@zerd/protocol/node/clock';

export interface Stagger {
  /** Settles when this one may start. Rejects with the signal's reason. `key` names the prefix that is shared. */
  enter(key: string, wait: { readonly signal: AbortSignal; show(deadline: number): Disposable }): Promise<Ticket>;
}

export interface Ticket {
  /** Its answer begins to arrive, or it is over: the others may start. May be called again. */
  opened(): void;
}

/** How long a first answer is waited for: longer, and waiting costs more than the prefix. */
export const longestStaggerMs = 10_000;

export function createStagger(clock: Clock): Stagger {
  const first = new Map<string, Promise<void>>();
  return {
    async enter(key, { signal, show }) {
      signal.throwIfAborted();
      const leader = first.get(key);
      if (leader === undefined) return lead(first, key);
      const shown = show(clock.now() + longestStaggerMs);
      const over = new AbortController();
      const either = AbortSignal.any([signal, over.signal]);
      try {
        await Promise.race([leader, clock.sleep(longestStaggerMs, either)]);
      } finally {
        over.abort();
        shown[Symbol.dispose]();
      }
      return { opened: () => {} };
    },
  };
}

function lead(first: Map<string, Promise<void>>, key: string): Ticket {
  let open: () => void = () => {};
  const opens = new Promise<void>((resolve) => {
    open = resolve;
  });
  first.set(key, opens);
  return {
    opened() {
      if (first.get(key) === opens) first.delete(key);
      open();
    },
  };
}
