/**
 * Keeps what is being waited for, so that it can be shown (I8). A wait is a value with a name and, mostly, a deadline.
 * Invariant: how long it lasts is measured by the clock that only grows, so that a change of the time of day moves
 * neither its beginning nor its deadline away from now (F-15, F-17).
 */
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Wait } from '@zerd/protocol/common/methods';
import type { Clock } from '@zerd/protocol/node/clock';

export interface Waits {
  /** What blocks its session first, then the oldest first. */
  list(): readonly Wait[];
  /** Shows the wait until disposed. `deadline` is in terms of clock.now(). */
  begin(name: string, sessionId: SessionId, deadline?: number, how?: 'blocks'): Disposable;
}

interface OpenWait {
  readonly name: string;
  readonly sessionId: SessionId;
  /** In terms of clock.now(). */
  readonly since: number;
  readonly deadline: number | undefined;
  /** Nothing of its session goes on before somebody does something. */
  readonly blocks: boolean;
}

export function createWaits(clock: Clock): Waits {
  const open = new Set<OpenWait>();
  return {
    list: () => [...open].toSorted(byWeight).map((wait) => shown(wait, clock)),
    begin(name, sessionId, deadline, how) {
      const wait = { name, sessionId, since: clock.now(), deadline, blocks: how === 'blocks' };
      open.add(wait);
      return { [Symbol.dispose]: () => void open.delete(wait) };
    },
  };
}

/** Those that began together stay in their order. */
function byWeight(a: OpenWait, b: OpenWait): number {
  return Number(b.blocks) - Number(a.blocks) || a.since - b.since;
}

function shown({ name, sessionId, since, deadline, blocks }: OpenWait, clock: Clock): Wait {
  const at = (moment: number) => Math.round(clock.wall() - clock.now() + moment);
  return {
    ...{ for: name, sessionId, sinceAt: at(since) },
    ...(deadline === undefined ? {} : { deadlineAt: at(deadline) }),
    ...(blocks ? { blocks } : {}),
  };
}
