/** What is asked, as several clients of one session see and answer it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { PendingApproval } from '@zerd/protocol/common/methods';
import type { ZerdClient } from '@zerd/protocol/node/client';
import type { PendingNotice } from '@zerd/protocol/node/follow';
import type { SceneWish } from '../runner/harness.ts';
import { crewPlayer, gives, whenTrue } from '../runner/subagent/crew.ts';
import { type LiveHouse, openLiveHouse } from './live-house.ts';

let house: LiveHouse;
const open = async (wish: SceneWish) => {
  house = await openLiveHouse(wish);
  return house;
};
afterEach(() => house.close());

const touch = (name: string) => ({ calls: [{ name: 'shell', input: { command: `touch ${name}` } }] });
const begin = async (zerd: ZerdClient, mode: 'ask' | 'full' = 'ask') => {
  const { sessionId } = await zerd.request('session/create', { mode, trust: true });
  return sessionId;
};
const say = (zerd: ZerdClient, sessionId: SessionId) =>
  zerd.request('turn/start', { sessionId, text: 'Go', trust: true });

/** Settles with what is asked, as a client that comes later reads it. */
async function asked(zerd: ZerdClient, sessionId: SessionId): Promise<PendingApproval> {
  await house.until(sessionId, 'approval.requested');
  const { pendingApprovals } = await zerd.request('session/subscribe', { sessionId });
  const [pending] = pendingApprovals;
  if (pending === undefined) throw new Error('nothing is pending');
  return pending;
}
const answer = (zerd: ZerdClient, sessionId: SessionId, pending: PendingApproval, decision: 'granted' | 'denied') =>
  zerd.request('approval/answer', {
    sessionId: pending.sessionId ?? sessionId,
    approvalId: pending.approvalId,
    digest: pending.digest,
    decision,
  });

test('who comes later finds approval and question in the snapshot; the first answer wins, the second is told (F-31)', async () => {
  await open({
    steps: [touch('made'), { calls: [{ name: 'question', input: { text: 'Which?', options: ['a', 'b'] } }] }],
  });
  const [one, two] = await Promise.all([house.connect(), house.connect()]);
  const sessionId = await begin(one.zerd);
  await say(one.zerd, sessionId);
  const pending = await asked(two.zerd, sessionId);
  expect(pending).toMatchObject({ tool: 'shell', asks: expect.stringContaining('touch made') });
  await answer(two.zerd, sessionId, pending, 'granted');
  await expect(answer(one.zerd, sessionId, pending, 'denied')).rejects.toMatchObject({ code: 'already_resolved' });

  await house.until(sessionId, 'question.asked');
  const { pendingApprovals, pendingQuestions = [] } = await one.zerd.request('session/subscribe', { sessionId });
  expect([pendingApprovals, pendingQuestions]).toMatchObject([[], [{ text: 'Which?', options: ['a', 'b'] }]]);
  const questionId = pendingQuestions[0]?.questionId;
  if (questionId === undefined) throw new Error('nothing is asked');
  await one.zerd.request('question/answer', { sessionId, questionId, answer: 'a' });
  await expect(two.zerd.request('question/answer', { sessionId, questionId, answer: 'b' })).rejects.toMatchObject({
    code: 'already_resolved',
  });
  expect(await house.until(sessionId, 'turn.finished')).toMatchObject({ outcome: 'done' });
  expect(existsSync(join(house.root, 'made'))).toBe(true);
});

test("one session's mode and grants are no other's: each call is asked for anew (F-31)", async () => {
  await open({ player: () => touch('made') });
  const [one, two] = await Promise.all([house.connect(), house.connect()]);
  const [free, bound] = [await begin(one.zerd, 'full'), await begin(two.zerd)];
  await say(one.zerd, free);
  await house.until(free, 'toolCall.finished');
  await say(two.zerd, bound);
  const first = await asked(two.zerd, bound);
  // The very same call once more: the grant was for one.
  await answer(one.zerd, bound, first, 'granted');
  await house.until(bound, 'toolCall.finished');
  await whenTrue(() => house.runner.pendingApprovals(bound).length === 1);
  const [second] = house.runner.pendingApprovals(bound);
  expect(second).toMatchObject({ tool: 'shell' });
  expect(second?.approvalId).not.toBe(first.approvalId);
  expect(house.runner.pendingApprovals(free)).toEqual([]);
  for (const sessionId of [free, bound]) await one.zerd.request('turn/interrupt', { sessionId });
});

test('what a sub-agent asks comes to the clients of its parent while they follow it, and is answered there', async () => {
  await open({
    player: crewPlayer([gives({ prompt: 'make it', title: 'm', write: true })], (_task, turn) =>
      turn === 0 ? touch('made') : { text: 'made' },
    ),
  });
  const [one, two] = await Promise.all([house.connect(), house.connect()]);
  const sessionId = await begin(one.zerd);
  const told: PendingNotice[] = [];
  two.zerd.onNotice('session/pending', (notice) => told.push(notice));
  await two.zerd.request('session/subscribe', { sessionId });
  await say(one.zerd, sessionId);
  // The task itself may be asked for first.
  for (;;) {
    const own = () => house.runner.pendingApprovals(sessionId).find((pending) => pending.sessionId === undefined);
    await whenTrue(() => own() !== undefined || told.length > 0);
    const pending = own();
    if (pending === undefined || told.length > 0) break;
    await answer(one.zerd, sessionId, pending, 'granted');
  }
  const [pending] = told[0]?.pendingApprovals ?? [];
  if (pending === undefined) throw new Error('nothing came');
  expect(told[0]).toMatchObject({ sessionId, pendingQuestions: [] });
  expect(pending).toMatchObject({ tool: 'shell', sessionId: expect.not.stringContaining(sessionId) });
  await answer(two.zerd, sessionId, pending, 'granted');
  expect(await house.until(sessionId, 'turn.finished')).toMatchObject({ outcome: 'done' });
  expect(existsSync(join(house.root, 'made'))).toBe(true);
  await two.zerd.request('trust/read', {});
  expect(told.at(-1)).toEqual({ sessionId, pendingApprovals: [], pendingQuestions: [] });
});

test('a client that dies in the middle of a request leaves no lock behind', async () => {
  await open({ player: () => ({ text: 'Done.' }) });
  const { zerd } = await house.connect();
  const sessionId = await begin(zerd);
  const digest = '0'.repeat(64);
  const approvalId = 'apr_00000000000000000000000000' as never;
  const requests: ((dying: ZerdClient) => Promise<unknown>)[] = [
    (dying) => dying.request('session/setMode', { sessionId, mode: 'full' }),
    (dying) => say(dying, sessionId),
    (dying) => dying.request('session/subscribe', { sessionId, deltas: true }),
    (dying) => dying.request('approval/answer', { sessionId, approvalId, digest, decision: 'granted' }),
    (dying) => dying.request('notes/write', { sessionId, todo: '[ ] live' }),
    (dying) => dying.request('turn/queue', { sessionId, text: 'And then?' }),
    (dying) => dying.request('session/compact', { sessionId }),
  ];
  for (const request of requests) {
    for (const rounds of [0, 1, 3]) {
      const { zerd: dying, hangUp } = await house.connect();
      const sent = request(dying).catch(() => {});
      for (let i = 0; i < rounds; i++) await new Promise((resolve) => setImmediate(resolve));
      hangUp();
      await sent;
    }
    await zerd.request('session/setMode', { sessionId, mode: 'ask' });
  }
  await whenTrue(() => house.runner.runningTurns() === 0);
  await whenTrue(() => house.server.clients() === 1);
  const { turnId } = await say(zerd, sessionId);
  await whenTrue(() =>
    house.events(sessionId).some(({ event }) => event.kind === 'turn.finished' && event.turnId === turnId),
  );
});
