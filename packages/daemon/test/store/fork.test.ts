import { expect, test } from '@jest/globals';
import type { SessionId } from '@zerd/protocol/common/ids';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import { assistant, created, request, turn } from '../../../core/test/session/events.ts';
import { openStore } from '../../src/store/open.ts';
import { one, said, temporaryFolder, two } from './temporary.ts';

const three = 'ses_three' as SessionId;
const ended = { kind: 'turn.finished', turnId: turn.turnId, outcome: 'interrupted' } as const;

test('a fork holds copies with their own times and no costs, and a rebuild gives the same rows', async () => {
  const clock = manualClock(1_000);
  const store = await openStore({ folder: temporaryFolder(), clock });
  await store.append(one, [created, turn, said('a')]);
  clock.advance(500);
  await store.append(one, [request('req_1'), assistant('req_1'), said('b')]);
  clock.advance(500);
  const forkOf = { sessionId: one, seq: 5 };
  await store.fork({ sessionId: two, created: { ...created, forkOf }, from: one, seq: 5, closing: [ended] });
  expect(store.read(two)).toEqual([
    { seq: 1, at: 2_000, event: { ...created, forkOf } },
    ...store.read(one).slice(1, 5),
    { seq: 6, at: 2_000, event: ended },
  ]);
  expect(store.session(two)).toMatchObject({ lastSeq: 6, requests: 0, title: 'a', updatedAt: 2_000, forkOf });
  expect(store.totals(two).totals.requests).toBe(0);
  const [at, none] = [{ sessionId: one, seq: 1 }, []];
  await store.fork({ sessionId: three, created: { ...created, forkOf: at }, from: one, seq: 1, closing: none });
  expect(store.session(three)).toMatchObject({ lastSeq: 1, forkOf: at });
  const rows = [store.sessions(), store.totals()];
  store.rebuildProjections();
  expect([store.sessions(), store.totals()]).toEqual(rows);
  await store.append(three, [turn]);
  expect(store.read(three).at(-1)).toMatchObject({ seq: 2 });
  await store.close();
});

test('a fork that cannot be written leaves nothing behind', async () => {
  const store = await openStore({ folder: temporaryFolder(), clock: manualClock() });
  await store.append(one, [created, turn]);
  // The copies reach to 2, so that what closes them cannot be 10.
  const wish = { sessionId: two, created, from: one, seq: 9, closing: [ended] };
  await expect(store.fork(wish)).rejects.toMatchObject({ code: 'store_failed' });
  expect([store.read(two), store.session(two)]).toEqual([[], undefined]);
  await store.close();
});
