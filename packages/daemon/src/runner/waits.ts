/** Keeps what is being waited for, so that it can be shown (I8). A wait is a value with a name and, mostly, a deadline. */
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Wait } from '@zerd/protocol/common/methods';
import type { Clock } from '@zerd/protocol/node/clock';

export interface Waits {
  list(): readonly Wait[];
  /** Shows the wait until disposed. `deadline` is in terms of clock.now(). */
  begin(name: string, sessionId: SessionId, deadline?: number): Disposable;
}

export function createWaits(clock: Clock): Waits {
  const open = new Set<Wait>();
  return {
    list: () => [...open],
    begin(name, sessionId, deadline) {
      const wait: Wait = { for: name, sessionId, sinceAt: Math.round(clock.wall()) };
      if (deadline !== undefined) wait.deadlineAt = Math.round(clock.wall() + deadline - clock.now());
      open.add(wait);
      return { [Symbol.dispose]: () => void open.delete(wait) };
    },
  };
}
