/**
 * Starts one turn and sees it through. Invariant: it settles only with the turn's own `turn.finished`, or rejects; a
 * closed connection, a restarted daemon or another client's turn never count as done.
 */

import { isZerdError, ZerdError } from '@zerd/protocol/common/errors';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { TurnId } from '@zerd/protocol/common/ids';
import type { ParamsOf, Wait } from '@zerd/protocol/common/methods';
import { type EventNotice, type Feed, type FollowWish, follow } from './follow.ts';

export interface TurnListener {
  /** Every event until the turn is final, in order. */
  event(notice: EventNotice): void;
  /** Something about the connection that a person may want to know. */
  note(text: string): void;
}

export interface Drive {
  readonly ended: Promise<TurnEnd>;
  /** Asks the daemon to end the turn, now or as soon as it has one; asked again after a lost connection. */
  interrupt(): void;
  /** What the daemon waits for in this session. */
  waits(): Promise<readonly Wait[]>;
}

export interface TurnEnd {
  readonly turnId: TurnId;
  readonly finished: Finished;
}

type Finished = Extract<SessionEvent, { kind: 'turn.finished' }>;

export function driveTurn(wish: FollowWish, start: ParamsOf<'turn/start'>, listener: TurnListener): Drive {
  const watch = watchTurn(start.text);
  let feed: Feed | undefined;
  let stopWanted = false;
  const interrupt = () => {
    stopWanted = true;
    if (feed !== undefined && watch.turnId !== undefined) sendInterrupt(feed, start, watch.turnId, listener);
  };
  const run = async () => {
    feed = await follow(wish, {
      event(notice) {
        if (watch.isOver()) return;
        listener.event(notice);
        watch.observe(notice.event);
      },
      reconnected() {
        listener.note('connected to the daemon again');
        if (stopWanted) interrupt();
      },
      synced: () => watch.synced(),
      lost: (error) => watch.lose(error),
    });
    try {
      watch.adopt(await startTurn(feed, start, watch));
      if (stopWanted) interrupt();
      return await watch.ended;
    } finally {
      feed.close();
    }
  };
  return {
    ended: run(),
    interrupt,
    waits: async () => (feed === undefined ? [] : await waitsOf(feed, start.sessionId)),
  };
}

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

function sendInterrupt(
  feed: Feed,
  { sessionId }: ParamsOf<'turn/start'>,
  turnId: TurnId,
  listener: TurnListener,
): void {
  const failed = (error: unknown) =>
    listener.note(`the interrupt did not arrive: ${isZerdError(error) ? error.message : String(error)}`);
  feed.request('turn/interrupt', { sessionId, turnId }).catch(failed);
}

interface TurnWatch {
  readonly turnId: TurnId | undefined;
  readonly ended: Promise<TurnEnd>;
  isOver(): boolean;
  observe(event: SessionEvent): void;
  adopt(turnId: TurnId): void;
  synced(): void;
  lose(error: unknown): void;
  /** After a connection that closed under `turn/start`: what the log says about it, once the replay is complete. */
  startedAfterAll(sessionId: string): Promise<TurnId>;
}

function watchTurn(text: string): TurnWatch {
  const ended = deferred<TurnEnd>();
  const replayed = deferred<void>();
  const finished = new Map<TurnId, Finished>();
  let own: TurnId | undefined;
  let submitted: TurnId | undefined;
  let waitsForReplay = false;
  let over = false;
  const settle = () => {
    const end = own === undefined ? undefined : finished.get(own);
    if (own === undefined || end === undefined) return;
    over = true;
    ended.resolve({ turnId: own, finished: end });
  };
  return {
    get turnId() {
      return own;
    },
    ended: ended.promise,
    isOver: () => over,
    observe(event) {
      if (event.kind === 'message.submitted' && event.text === text) submitted = event.turnId;
      if (event.kind === 'turn.finished') finished.set(event.turnId, event);
      settle();
    },
    adopt(turnId) {
      own = turnId;
      settle();
    },
    synced() {
      if (waitsForReplay) replayed.resolve();
    },
    lose(error) {
      over = true;
      ended.reject(error);
      replayed.reject(error);
    },
    async startedAfterAll(sessionId) {
      waitsForReplay = true;
      await replayed.promise;
      if (submitted === undefined) throw neverStarted(sessionId);
      return submitted;
    },
  };
}

function neverStarted(sessionId: string): ZerdError {
  return new ZerdError(
    'disconnected',
    `The connection closed before the turn was accepted, and the log shows that it never began. Run it again with --session ${sessionId}.`,
  );
}

function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  // Whoever waits hears of a rejection; that nobody waits yet is no defect.
  promise.catch(() => {});
  return { promise, resolve, reject };
}
