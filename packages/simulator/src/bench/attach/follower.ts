/**
 * One client that comes and goes: each time it asks for what it has not seen, stays a while and leaves. Invariant: what
 * it says of the order is of all events that it was ever sent, in the order in which they came.
 */
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { ZerdClient } from '@zerd/protocol/node/client';

export interface FollowerWish {
  readonly connect: () => Promise<ZerdClient>;
  readonly sessionId: SessionId;
  readonly seed: number;
  /** Nothing more happens in the session soon: it comes once more, for the rest. */
  readonly over: AbortSignal;
}

export interface Followed {
  readonly attachMs: readonly number[];
  /** Events that came before a subscription was answered. */
  readonly replayed: number;
  readonly hash: string;
  /** Without a hole and without a repeat. */
  readonly whole: boolean;
}

/** The longest that it stays, and that it is away. */
const mostMs = 600;

export async function follow({ connect, sessionId, seed, over }: FollowerWish): Promise<Followed> {
  const order = createHash('sha256');
  const attachMs: number[] = [];
  const random = randomFrom(seed);
  let last = 0;
  let replayed = 0;
  let whole = true;

  async function attach(): Promise<ZerdClient> {
    const from = performance.now();
    const client = await connect();
    client.onNotice('session/event', ({ seq, at, event }) => {
      whole &&= seq === last + 1;
      last = seq;
      order.update(JSON.stringify([seq, at, event]));
    });
    const known = last;
    await client.request('session/subscribe', { sessionId, after: known, deltas: true });
    attachMs.push(performance.now() - from);
    replayed += last - known;
    return client;
  }

  while (!over.aborted) {
    const client = await attach();
    await pause(random() * mostMs);
    client.close();
    await client.closed;
    await pause(random() * mostMs);
  }
  if (over.reason instanceof Error && over.reason.name !== 'AbortError') throw over.reason;
  await lastEvents(await attach(), sessionId, () => last);
  return { attachMs, replayed, hash: order.digest('hex'), whole };
}

async function lastEvents(client: ZerdClient, sessionId: SessionId, last: () => number): Promise<void> {
  for (;;) {
    const { session } = await client.request('session/read', { sessionId, limit: 1 });
    if (session.state === 'idle' && session.lastSeq === last()) break;
    await pause(10);
  }
  client.close();
}

/** The same pauses for the same seed (a linear congruential generator). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
