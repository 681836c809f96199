/**
 * Starts one turn and sees it through. Invariant: it settles only with the turn's own `turn.finished`, or rejects; a
 * closed connection, a restarted daemon or another client's turn never count as done.
 */
import { isZerdError, ZerdError } from '@zerd/protocol/common/errors';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { TurnId } from '@zerd/protocol/common/ids';
import type { ParamsOf, Wait } from '@zerd/protocol/common/methods';
import { type DeltaNotice, type EventNotice, type Feed, type FollowWish, follow } from '@zerd/protocol/node/follow';
import { relayUntilEnd } from './relay.ts';
import { type TurnEnd, type TurnWatch, watchTurn } from './turn-watch.ts';

export interface TurnListener {
  /** Every event until the turn is final, in order. */
  event(notice: EventNotice): void;
  /** A piece of an answer while it is written; asked for where this is given. */
  delta?(notice: DeltaNotice): void;
  /** What is asked, also by sub-agents, may have changed. */
  asked?(): void;
  /** Something about the connection that a person may want to know. */
  note(text: string): void;
}

export interface Drive {
  readonly ended: Promise<TurnEnd>;
  /** Asks the daemon to end the turn, now or as soon as it has one; asked again after a lost connection. */
  interrupt(): void;
  /** What the daemon waits for in this session. */
  waits(): Promise<readonly Wait[]>;
  /** Over the newest connection; rejects with disconnected before there is one. */
  readonly request: Feed['request'];
}

export function driveTurn(wish: FollowWish, start: ParamsOf<'turn/start'>, listener: TurnListener): Drive {
  const watch = watchTurn(start.text);
  const relay = relayUntilEnd(listener);
  let feed: Feed | undefined;
  let stopWanted = false;
  let over = false;
  const failed = (error: unknown) => {
    // The end of the turn may overtake the answer to the interrupt that caused it.
    if (!over) listener.note(`the interrupt did not arrive: ${isZerdError(error) ? error.message : String(error)}`);
  };
  const interrupt = () => {
    stopWanted = true;
    if (feed === undefined || watch.turnId === undefined) return;
    feed.request('turn/interrupt', { sessionId: start.sessionId, turnId: watch.turnId }).catch(failed);
  };
  const run = async () => {
    feed = await follow(wish, {
      event(notice) {
        relay.event(notice);
        watch.observe(notice.event);
        if (asks.has(notice.event.kind)) listener.asked?.();
      },
      pending: () => listener.asked?.(),
      ...(listener.delta && { delta: listener.delta }),
      reconnected() {
        listener.note('connected to the daemon again');
        if (stopWanted) interrupt();
      },
      synced() {
        watch.synced();
        listener.asked?.();
      },
      lost: (error) => watch.lose(error),
    });
    listener.asked?.();
    try {
      const turnId = await startTurn(feed, start, watch);
      relay.adopt(turnId);
      watch.adopt(turnId);
      if (stopWanted) interrupt();
      return await watch.ended;
    } finally {
      over = true;
      feed.close();
    }
  };
  return {
    ended: run(),
    interrupt,
    async request(method, params) {
      if (feed === undefined) throw new ZerdError('disconnected', 'The session is not followed yet.');
      return await feed.request(method, params);
    },
    waits: async () => (feed === undefined ? [] : await waitsOf(feed, start.sessionId)),
  };
}

const asks: ReadonlySet<SessionEvent['kind']> = new Set([
  'approval.requested',
  'approval.answered',
  'question.asked',
  'question.answered',
]);

async function waitsOf(feed: Feed, sessionId: string): Promise<readonly Wait[]> {
  const { waits } = await feed.request('daemon/status', {});
  return waits.filter((wait) => wait.sessionId === sessionId);
}

async function startTurn(feed: Feed, start: ParamsOf<'turn/start'>, watch: TurnWatch): Promise<TurnId> {
  try {
    return (await feed.request('turn/start', start)).turnId;
  } catch (error) {
    if (!isZerdError(error) || error.code !== 'disconnected') throw error;
    return await watch.startedAfterAll(start.sessionId);
  }
}
