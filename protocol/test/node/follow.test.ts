import { expect, test } from '@jest/globals';
import { manualClock } from '../../../test/support/manual-clock.ts';
import { ZerdError } from '../../src/common/errors.ts';
import type { SessionId } from '../../src/common/ids.ts';
import type { ZerdClient } from '../../src/node/client.ts';
import { follow } from '../../src/node/follow.ts';

const sessionId = 'ses_1' as SessionId;

/** A connection that stands until it is cut; it notes after which event it was asked. */
function connection(asked: unknown[]) {
  let cut = () => {};
  const closed = new Promise<void>((resolve) => {
    cut = resolve;
  });
  const client = {
    closed,
    close: cut,
    onNotice: () => {},
    request: async (_: string, { after }: { after: number }) => {
      asked.push(after);
      return { epoch: 'e', syncedAt: after };
    },
  };
  return { client: client as unknown as ZerdClient, cut };
}

const settle = async () => {
  for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate);
};

async function followed(why: () => ZerdError | undefined, attempts?: number) {
  const clock = manualClock();
  const asked: unknown[] = [];
  const told: unknown[] = [];
  const first = connection(asked);
  let tries = 0;
  const reconnect = async () => {
    tries += 1;
    const error = why();
    if (error !== undefined) throw error;
    return connection(asked).client;
  };
  const wish = { client: first.client, reconnect, clock, sessionId, after: 7, ...(attempts && { attempts }) };
  const feed = await follow(wish, {
    event() {},
    waiting: (_, pauseMs) => void told.push(pauseMs),
    reconnected: () => void told.push('reconnected'),
    lost: (error) => void told.push((error as ZerdError).code),
  });
  first.cut();
  await settle();
  return { clock, asked, told, feed, tries: () => tries };
}

const gone = () => new ZerdError('daemon_unavailable', 'No daemon could be reached.');

test('F-16: a client that wakes after 90 minutes is back within half a minute, from where it was', async () => {
  let down = true;
  const { clock, asked, told } = await followed(() => (down ? gone() : undefined), Number.POSITIVE_INFINITY);
  for (let passed = 0; passed < 5_400; passed += 5) {
    clock.advance(5_000);
    await settle();
  }
  expect([told.at(-1), told.includes('daemon_unavailable'), told.length > 150]).toEqual([30_000, false, true]);
  down = false;
  clock.advance(30_000);
  await settle();
  expect([told.at(-1), asked]).toEqual(['reconnected', [7, 7]]);
}, 60_000);

test('F-16: what no waiting mends is another state, and said at once', async () => {
  const untrusted = () => new ZerdError('version_unsupported', 'Update the older of the two.');
  const { told, tries } = await followed(untrusted, Number.POSITIVE_INFINITY);
  expect([told, tries()]).toEqual([['version_unsupported'], 1]);
});

test('a run gives up after five attempts, and says so', async () => {
  const { clock, told, tries } = await followed(gone);
  for (let count = 0; count < 5; count++) {
    clock.advance(5_000);
    await settle();
  }
  expect([told, tries()]).toEqual([[200, 400, 800, 1_600, 'daemon_unavailable'], 5]);
});

test('F-16: whoever stops following is not brought back', async () => {
  const { clock, told, feed, tries } = await followed(gone, Number.POSITIVE_INFINITY);
  feed.close();
  clock.advance(60_000);
  await settle();
  expect([told, tries()]).toEqual([[200], 1]);
});

/** A session that is followed, and what is told of it when the daemon says that it is gone. */
async function removed(more: { deleted?: () => void }): Promise<readonly unknown[]> {
  const told: unknown[] = [];
  const listeners = new Map<string, (params: object) => void>();
  const client = {
    closed: new Promise<void>(() => {}),
    close: () => void told.push('closed'),
    onNotice: (method: string, listener: (params: object) => void) => void listeners.set(method, listener),
    request: async () => ({ epoch: 'e', syncedAt: 7 }),
  };
  const wish = { client: client as unknown as ZerdClient, reconnect: async () => Promise.reject(gone()), sessionId };
  const lost = (error: unknown) => void told.push((error as ZerdError).message);
  const event = () => void told.push('event');
  await follow({ ...wish, clock: manualClock(), after: 7 }, { event, lost, ...more });
  listeners.get('session/deleted')?.({ sessionId: 'ses_2' });
  listeners.get('session/deleted')?.({ sessionId });
  listeners.get('session/event')?.({ sessionId, seq: 8 });
  return told;
}

test('a session that is removed is lost, and the connection stays the follower to close', async () => {
  expect(await removed({})).toEqual(['Session ses_1 was removed.']);
});

test('whoever has something else to do where a session is removed hears of that instead', async () => {
  let heard = 0;
  expect(await removed({ deleted: () => heard++ })).toEqual([]);
  expect(heard).toBe(1);
});
