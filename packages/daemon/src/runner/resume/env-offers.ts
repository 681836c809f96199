/** Tells those who wait for the key of a provider of each client that connects, with its environment. In memory only. */
import type { ClientEnv } from '../runner.ts';

export interface EnvOffers {
  offer(env: ClientEnv): void;
  /** Listens from now on, until disposed. */
  listen(): Offered;
}

export interface Offered extends Disposable {
  /** What came so far. */
  taken(): readonly ClientEnv[];
  /** Called for each that comes; one at a time. */
  onNext(heard: ((env: ClientEnv) => void) | undefined): void;
}

export function createEnvOffers(): EnvOffers {
  const listeners = new Set<(env: ClientEnv) => void>();
  return {
    offer(env) {
      for (const listener of [...listeners]) listener(env);
    },
    listen() {
      const came: ClientEnv[] = [];
      let heard: ((env: ClientEnv) => void) | undefined;
      const listener = (env: ClientEnv) => {
        came.push(env);
        heard?.(env);
      };
      listeners.add(listener);
      return {
        taken: () => came,
        onNext(next) {
          heard = next;
        },
        [Symbol.dispose]: () => void listeners.delete(listener),
      };
    },
  };
}
