/**
 * Follows a session over gaps and lost connections. Invariant: the listener gets every committed event after `after`
 * exactly once and in order, or hears that the session was lost; never silence.
 */
import { isZerdError, ZerdError } from '../common/errors.ts';
import type { SessionId } from '../common/ids.ts';
import type { ClientMethod, ParamsOf, ResultOf } from '../common/methods.ts';
import type { NoticeParamsOf, ZerdClient } from './client.ts';
import type { Clock } from './clock.ts';

export type EventNotice = NoticeParamsOf<'session/event'>;
export type DeltaNotice = NoticeParamsOf<'session/delta'>;
export type OutputNotice = NoticeParamsOf<'session/output'>;
export type PendingNotice = NoticeParamsOf<'session/pending'>;
export type Snapshot = ResultOf<'session/subscribe'>;

export interface Follower {
  event(notice: EventNotice): void;
  /** A piece of an answer while it is written; asked for where this is given. */
  delta?(notice: DeltaNotice): void;
  /** What a running command writes; comes where `delta` is given too. */
  output?(notice: OutputNotice): void;
  /** What sub-agents ask has changed: all that is asked now. */
  pending?(notice: PendingNotice): void;
  /** The connection was lost and is back; the missed events follow or have come already. */
  reconnected?(): void;
  /** The connection is lost and is tried again after so many milliseconds; `error` says why it could not be had. */
  waiting?(error: unknown, pauseMs: number): void;
  /** All events that stood at the (re)subscription have been delivered. */
  synced?(snapshot: Snapshot): void;
  /** The session was removed, and nothing more of it comes; absent: it is lost. Called at most once. */
  deleted?(): void;
  /** It cannot go on. Called at most once. */
  lost(error: unknown): void;
}

export interface Feed {
  /** Over the newest connection. */
  request<M extends ClientMethod>(method: M, params: ParamsOf<M>): Promise<ResultOf<M>>;
  close(): void;
}

export interface FollowWish {
  readonly client: ZerdClient;
  readonly reconnect: () => Promise<ZerdClient>;
  readonly clock: Clock;
  readonly sessionId: SessionId;
  readonly after: number;
  /** How often a lost connection is tried again in a row; absent: 5 times. Infinity: for ever, as whoever watches wants it. */
  readonly attempts?: number;
}

/** Settles when the subscription stands; rejects when it is refused. */
export async function follow(wish: FollowWish, follower: Follower): Promise<Feed> {
  const state: State = {
    client: wish.client,
    last: wish.after,
    syncedAt: Number.POSITIVE_INFINITY,
    snapshot: undefined,
    epoch: '',
    closed: false,
  };
  await establish(state, wish, follower, wish.client);
  void keepUp(state, wish, follower);
  return {
    request: (method, params) => state.client.request(method, params),
    close() {
      state.closed = true;
      state.client.close();
    },
  };
}

interface State {
  client: ZerdClient;
  last: number;
  /** The end of the replay that runs; infinite: none. */
  syncedAt: number;
  snapshot: Snapshot | undefined;
  epoch: string;
  closed: boolean;
}

async function keepUp(state: State, wish: FollowWish, follower: Follower): Promise<void> {
  try {
    for (;;) {
      await state.client.closed;
      if (state.closed) return;
      await establish(state, wish, follower);
      if (state.closed) return;
      follower.reconnected?.();
    }
  } catch (error) {
    if (!state.closed) follower.lost(error);
  }
}

const usualAttempts = 5;
/** However long a machine slept: then it is back within half a minute (F-16). */
const longestPauseMs = 30_000;

async function establish(state: State, wish: FollowWish, follower: Follower, first?: ZerdClient): Promise<void> {
  const { attempts = usualAttempts, clock } = wish;
  for (let attempt = 1; ; attempt++) {
    try {
      state.client = attempt === 1 && first !== undefined ? first : await wish.reconnect();
      listen(state, wish, follower);
      return await subscribe(state, wish, follower);
    } catch (error) {
      state.client.close();
      if (state.closed || attempt === attempts || !mayPass(error)) throw error;
      const pauseMs = Math.min(longestPauseMs, 100 * 2 ** attempt);
      follower.waiting?.(error, pauseMs);
      await clock.sleep(pauseMs);
      if (state.closed) return;
    }
  }
}

function mayPass(error: unknown): boolean {
  return isZerdError(error) && ['disconnected', 'shutting_down', 'daemon_unavailable'].includes(error.code);
}

function listen(state: State, wish: FollowWish, follower: Follower): void {
  const { client } = state;
  const current = () => state.client === client && !state.closed;
  const again = () => void subscribe(state, wish, follower).catch((error) => onRefused(error, state, follower));
  client.onNotice('session/event', (notice) => {
    if (!current() || notice.sessionId !== wish.sessionId || notice.seq <= state.last) return;
    if (notice.seq > state.last + 1) return again();
    state.last = notice.seq;
    follower.event(notice);
    tellSynced(state, follower);
  });
  client.onNotice('session/delta', (notice) => {
    if (current() && notice.sessionId === wish.sessionId) follower.delta?.(notice);
  });
  client.onNotice('session/output', (notice) => {
    if (current() && notice.sessionId === wish.sessionId) follower.output?.(notice);
  });
  client.onNotice('session/pending', (notice) => {
    if (current() && notice.sessionId === wish.sessionId) follower.pending?.(notice);
  });
  client.onNotice('session/deleted', (notice) => {
    if (current() && notice.sessionId === wish.sessionId) onDeleted(state, wish, follower);
  });
  client.onNotice('session/gap', (notice) => {
    if (current() && notice.sessionId === wish.sessionId) again();
  });
}

/** The connection stays: whoever follows may ask for another session over it. */
function onDeleted(state: State, { sessionId }: FollowWish, follower: Follower): void {
  state.closed = true;
  if (follower.deleted !== undefined) follower.deleted();
  else follower.lost(new ZerdError('unknown_session', `Session ${sessionId} was removed.`));
}

// A lost connection is mended by keepUp; anything else ends the following.
function onRefused(error: unknown, state: State, follower: Follower): void {
  if (state.closed || mayPass(error)) return;
  state.closed = true;
  state.client.close();
  follower.lost(error);
}

async function subscribe(state: State, wish: FollowWish, follower: Follower): Promise<void> {
  const snapshot = await state.client.request('session/subscribe', {
    sessionId: wish.sessionId,
    after: state.last,
    ...(follower.delta === undefined ? {} : { deltas: true }),
  });
  const { epoch, syncedAt } = snapshot;
  if (state.epoch !== '' && state.epoch !== epoch) throw replaced(wish.sessionId);
  state.epoch = epoch;
  state.syncedAt = syncedAt;
  state.snapshot = snapshot;
  tellSynced(state, follower);
}

function tellSynced(state: State, follower: Follower): void {
  if (state.last < state.syncedAt) return;
  state.syncedAt = Number.POSITIVE_INFINITY;
  if (state.snapshot !== undefined) follower.synced?.(state.snapshot);
}

function replaced(sessionId: SessionId): ZerdError {
  return new ZerdError(
    'unknown_session',
    `The store was replaced while ${sessionId} was followed: its numbers begin anew.`,
  );
}
