/** Undoes what was opened, in the reverse order. Invariant: a step that fails is logged and does not keep the others. */
import type { Log } from '../base/log.ts';

export interface Teardown {
  add(name: string, step: () => unknown): void;
  /** Runs every step once. */
  run(log: Log): Promise<void>;
}

export function createTeardown(): Teardown {
  const steps: { readonly name: string; readonly step: () => unknown }[] = [];
  return {
    add: (name, step) => void steps.push({ name, step }),
    async run(log) {
      for (let last = steps.pop(); last; last = steps.pop()) {
        try {
          await last.step();
        } catch (error) {
          log.error('a step of stopping failed', { step: last.name, error });
        }
      }
    },
  };
}
