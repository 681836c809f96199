/** Lets tasks of the same key run one after the other, in the order in which they came; keys do not wait for each other. */
export interface Locks {
  run<T>(key: string, task: () => Promise<T>): Promise<T>;
}

export function createLocks(): Locks {
  const tails = new Map<string, Promise<unknown>>();
  return {
    run(key, task) {
      // Whether the one before failed is its own caller's matter.
      const turn = (tails.get(key) ?? Promise.resolve()).then(task, task);
      tails.set(key, turn);
      const forget = () => {
        if (tails.get(key) === turn) tails.delete(key);
      };
      turn.then(forget, forget);
      return turn;
    },
  };
}
