import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import type { SessionId } from '@zerd/protocol/common/ids';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import { openScene, type Scene } from './harness.ts';

let scene: Scene;
const day = 24 * 3_600_000;
const touch = (name: string) => ({ calls: [{ name: 'shell', input: { command: `touch ${name}` } }] });

async function open(names: readonly string[], clock = manualClock()) {
  scene = await openScene({ clock, steps: names.map(touch) });
  return clock;
}
afterEach(() => scene.close());

const tick = () => new Promise((resolve) => setImmediate(resolve));

async function asked(): Promise<SessionId> {
  const { sessionId } = await scene.runner.createSession({ env: scene.env, mode: 'ask', trust: true });
  await scene.say('Go', { sessionId });
  await scene.until(sessionId, 'approval.requested');
  while (scene.runner.waits().every((wait) => wait.for !== 'permission for shell')) await tick();
  return sessionId;
}
const pending = (sessionId: SessionId) => {
  const [approval] = scene.runner.pendingApprovals(sessionId);
  if (approval === undefined) throw new Error('nothing is pending');
  return { sessionId, approvalId: approval.approvalId, digest: approval.digest };
};

test('of answers that come at the same moment the first holds, and the others are told (F-31)', async () => {
  await open(['made']);
  const sessionId = await asked();
  const answer = pending(sessionId);
  const decisions = ['denied', 'granted', 'granted'] as const;
  const outcomes = await Promise.allSettled(
    decisions.map((decision) => scene.runner.answer({ ...answer, decision, reason: 'not now' })),
  );
  expect(outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : 'held'))).toEqual([
    'held',
    'already_resolved',
    'already_resolved',
  ]);
  await scene.until(sessionId, 'turn.finished');
  const answered = scene.events(sessionId).flatMap(({ event }) => (event.kind === 'approval.answered' ? [event] : []));
  expect(answered).toMatchObject([{ decision: 'denied', reason: 'not now' }]);
  expect(existsSync(join(scene.root, 'made'))).toBe(false);
});

test('an answer for another call than was shown is refused, and the approval stays', async () => {
  await open(['made']);
  const sessionId = await asked();
  const answer = pending(sessionId);
  await expect(
    scene.runner.answer({ ...answer, digest: `0${answer.digest.slice(1)}x`, decision: 'granted' }),
  ).rejects.toMatchObject({ code: 'invalid_params' });
  expect(pending(sessionId)).toEqual(answer);
});

test('what nobody answers is denied after a day, with that reason, and shown until then', async () => {
  const clock = await open(['made']);
  const sessionId = await asked();
  const [wait] = scene.runner.waits().filter((one) => one.for === 'permission for shell');
  expect((wait?.deadlineAt ?? 0) - (wait?.sinceAt ?? 0)).toBe(day);
  const answer = pending(sessionId);
  clock.advance(day - 1);
  expect(pending(sessionId)).toEqual(answer);
  clock.advance(1);
  expect(await scene.until(sessionId, 'approval.answered')).toMatchObject({
    decision: 'denied',
    reason: 'nobody answered within 24 hours',
  });
  expect(await scene.until(sessionId, 'toolCall.finished')).toMatchObject({ outcome: 'denied' });
  await expect(scene.runner.answer({ ...answer, decision: 'granted' })).rejects.toMatchObject({
    code: 'already_resolved',
  });
});

test('what one session may do grants nothing that another was asked about (2.6)', async () => {
  await open(['made', 'other']);
  const sessionId = await asked();
  const answer = pending(sessionId);
  const free = await scene.runner.createSession({ env: scene.env, mode: 'full', trust: true });
  await scene.say('Go', { sessionId: free.sessionId });
  await scene.until(free.sessionId, 'toolCall.finished');
  await scene.runner.setMode(free.sessionId, 'edit');
  await scene.runner.setMode(free.sessionId, 'full');
  expect(pending(sessionId)).toEqual(answer);
  await scene.runner.answer({ ...answer, decision: 'denied' });
  await scene.until(sessionId, 'turn.finished');
});

test('the model is told of another mode once, before the next request, and of none that it was never asked in', async () => {
  scene = await openScene({ clock: manualClock() });
  const { runner, env } = scene;
  const { sessionId } = await runner.createSession({ env, mode: 'ask', trust: true });
  await runner.setMode(sessionId, 'read-only');
  await (await scene.say('Go', { sessionId })).end;
  await runner.setMode(sessionId, 'full');
  await runner.setMode(sessionId, 'edit');
  for (const [n, text] of ['And on', 'And on'].entries()) {
    await scene.say(text, { sessionId });
    await scene.gateway.received(n + 2);
    while (runner.runningTurns() > 0) await tick();
  }
  const told = scene.events(sessionId).flatMap(({ event }) => (event.kind === 'reminder.added' ? [event] : []));
  expect(told).toMatchObject([
    {
      about: { kind: 'modeChanged', mode: 'edit' },
      text: 'The user changed the mode to edit: files may be changed, commands are asked about first.',
    },
  ]);
  const [first, second] = scene.gateway.requests.map(({ bodyText }) => bodyText.includes('changed the mode'));
  expect([first, second]).toEqual([false, true]);
});
