/**
 * Says something in a session: to the turn that runs, behind it, or as a turn of its own. Invariant: what another client
 * did at the same time loses no word; it is said the way that is open then.
 */
import { isZerdError } from '@zerd/protocol/common/errors';
import type { SessionId, TurnId } from '@zerd/protocol/common/ids';
import type { GivenImages } from '@zerd/protocol/common/image';
import type { Feed } from '@zerd/protocol/node/follow';

export interface Saying {
  readonly sessionId: SessionId;
  readonly text: string;
  readonly images?: GivenImages;
  /** The running turn, as far as is known. */
  readonly turnId: TurnId | undefined;
  readonly queue: boolean;
  readonly trust?: boolean;
}

export async function sayTo(feed: Pick<Feed, 'request'>, { turnId, queue, ...said }: Saying): Promise<void> {
  if (turnId === undefined) await start(feed, said);
  else if (queue) await feed.request('turn/queue', said);
  else await steer(feed, turnId, said);
}

type Said = Omit<Saying, 'turnId' | 'queue'>;

/** Another client may have begun a turn meanwhile. */
async function start(feed: Pick<Feed, 'request'>, said: Said): Promise<void> {
  try {
    await feed.request('turn/start', said);
  } catch (error) {
    if (!isZerdError(error) || error.code !== 'turn_running') throw error;
    await feed.request('turn/queue', said);
  }
}

/** The turn may have ended meanwhile. */
async function steer(feed: Pick<Feed, 'request'>, expectedTurnId: TurnId, said: Said): Promise<void> {
  try {
    await feed.request('turn/steer', { ...said, expectedTurnId });
  } catch (error) {
    if (!isZerdError(error) || error.code !== 'unknown_turn') throw error;
    await start(feed, said);
  }
}
