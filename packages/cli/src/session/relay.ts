/** Decides which events belong to a run: those up to the end of its own turn, also when the turn's id comes late. */
import type { TurnId } from '@zerd/protocol/common/ids';
import type { EventNotice } from '@zerd/protocol/node/follow';

/**
 * Hands events on up to the end of the run's own turn. A turn can be final before the answer that names it has come:
 * what follows any end is held back until then.
 */
export function relayUntilEnd(listener: { event(notice: EventNotice): void }) {
  const held: EventNotice[] = [];
  const ends = new Set<TurnId>();
  let own: TurnId | undefined;
  const pass = (notice: EventNotice) => {
    listener.event(notice);
    if (notice.event.kind === 'turn.finished') ends.add(notice.event.turnId);
  };
  const isOver = () => own !== undefined && ends.has(own);
  return {
    event(notice: EventNotice) {
      if (own === undefined && ends.size > 0) held.push(notice);
      else if (!isOver()) pass(notice);
    },
    adopt(turnId: TurnId) {
      own = turnId;
      for (const notice of held.splice(0)) if (!isOver()) pass(notice);
    },
  };
}
