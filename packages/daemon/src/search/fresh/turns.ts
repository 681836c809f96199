/** Hands on what arrives in its order, one in each turn of the loop. Invariant: others get their turn between two. */

export interface Turns<T> {
  add(one: T): void;
  /** Hands on all that waits at once. */
  drain(): void;
}

export function createTurns<T>(hand: (one: T) => void): Turns<T> {
  const waiting: T[] = [];
  let next = 0;
  let turn: NodeJS.Immediate | undefined;

  function step(): void {
    turn = undefined;
    const [one] = waiting.slice(next, next + 1);
    next += 1;
    if (next < waiting.length) turn = setImmediate(step);
    else forget();
    if (one !== undefined) hand(one);
  }

  function forget(): void {
    waiting.length = 0;
    next = 0;
  }

  return {
    add(one) {
      waiting.push(one);
      turn ??= setImmediate(step);
    },
    drain() {
      clearImmediate(turn);
      turn = undefined;
      const left = waiting.slice(next);
      forget();
      for (const one of left) hand(one);
    },
  };
}
