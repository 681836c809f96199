import { afterEach, expect, test } from '@jest/globals';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import { openScene, type Scene, type SceneWish } from './harness.ts';

let scene: Scene;
async function open(wish: SceneWish): Promise<Scene> {
  // Time stands still: whatever ends here did not wait for a deadline.
  scene = await openScene({ ...wish, clock: manualClock() });
  return scene;
}
afterEach(() => scene.close());

const results = (sessionId: SessionId) =>
  scene
    .events(sessionId)
    .flatMap(({ event }) => (event.kind === 'toolCall.finished' ? [[event.outcome, event.shown]] : []));

test('R-13: an interrupt ends a silent provider at once', async () => {
  const { say, runner, gateway } = await open({ steps: [], faults: [{ fault: { kind: 'no-answer' } }] });
  const { sessionId, end } = await say('Go');
  await gateway.received(1);
  expect(await runner.interrupt(sessionId)).toBe(true);
  expect(await end).toMatchObject({ outcome: 'interrupted', failure: { message: 'interrupted by the user' } });
  expect(await runner.interrupt(sessionId)).toBe(false);
});

test('R-13: an interrupt ends a running command with its tree, and the calls behind it say that they had no effect', async () => {
  const { say, runner, until } = await open({
    steps: [
      {
        calls: [
          { name: 'shell', input: { command: 'echo begun; sleep 60' } },
          { name: 'shell', input: { command: 'touch later' } },
        ],
      },
    ],
  });
  const { sessionId, end } = await say('Go');
  await until(sessionId, 'toolCall.started');
  expect(await runner.interrupt(sessionId)).toBe(true);
  expect(await end).toMatchObject({ outcome: 'interrupted' });
  const [first, second] = results(sessionId);
  expect(first?.[0]).toBe('interrupted');
  expect(second).toEqual(['interrupted', 'Interrupted before it ran: it had no effect.']);
});

test('R-13: an interrupt withdraws a question that waits for its answer', async () => {
  const { say, runner, until } = await open({
    steps: [{ calls: [{ name: 'shell', input: { command: 'touch later' } }] }],
  });
  const { sessionId } = await runner.createSession({ env: scene.env, trust: true });
  const { end } = await say('Go', { sessionId });
  const { approvalId, digest } = await until(sessionId, 'approval.requested');
  expect(runner.pendingApprovals(sessionId)).toHaveLength(1);
  await runner.interrupt(sessionId);
  expect(await end).toMatchObject({ outcome: 'interrupted' });
  expect(runner.pendingApprovals(sessionId)).toEqual([]);
  await expect(runner.answer({ sessionId, approvalId, digest, decision: 'granted' })).rejects.toMatchObject({
    code: 'already_resolved',
  });
});

test('R-13: stopping the runner makes every turn final', async () => {
  const { say, runner } = await open({ steps: [], faults: [{ fault: { kind: 'headers-only' } }] });
  const turns = [await say('One'), await say('Two')];
  await runner.stop();
  expect(runner.runningTurns()).toBe(0);
  expect(await Promise.all(turns.map(({ end }) => end))).toEqual([
    expect.objectContaining({ failure: { code: 'interrupted', message: 'the daemon is stopping' } }),
    expect.objectContaining({ failure: { code: 'interrupted', message: 'the daemon is stopping' } }),
  ]);
});

async function asked(command = 'echo granted > out') {
  const { say, runner, until, env } = await open({
    steps: [{ calls: [{ name: 'shell', input: { command } }] }, { text: 'Done.' }],
  });
  const { sessionId } = await runner.createSession({ env, trust: true });
  const { end } = await say('Go', { sessionId });
  const request = await until(sessionId, 'approval.requested');
  return { sessionId, end, request, runner };
}

test('a granted call runs; the first answer holds and a later one is told so (F-31)', async () => {
  const { sessionId, end, request, runner } = await asked();
  expect(request.asks).toBe('shell: echo granted > out');
  const { approvalId, digest } = request;
  await expect(
    runner.answer({ sessionId, approvalId, digest: 'of another call', decision: 'granted' }),
  ).rejects.toMatchObject({ code: 'invalid_params' });
  await runner.answer({ sessionId, approvalId, digest, decision: 'granted' });
  await expect(runner.answer({ sessionId, approvalId, digest, decision: 'denied' })).rejects.toMatchObject({
    code: 'already_resolved',
  });
  expect(await end).toMatchObject({ outcome: 'done' });
  expect(results(sessionId)).toEqual([['ok', '(no output)']]);
});

test('a denied call does not run and the model is told why', async () => {
  const { sessionId, end, request, runner } = await asked();
  const { approvalId, digest } = request;
  await runner.answer({ sessionId, approvalId, digest, decision: 'denied', reason: 'use make' });
  expect(await end).toMatchObject({ outcome: 'done' });
  expect(results(sessionId)).toEqual([['denied', 'Not run: denied by the user (use make).']]);
});

test('a question in a headless turn ends it, says what was asked, and leaves a valid session', async () => {
  const { say, runner, env, events } = await open({
    steps: [
      {
        calls: [
          { name: 'shell', input: { command: 'npm test' } },
          { name: 'write', input: { path: 'a', content: '' } },
        ],
      },
      { text: 'Done.' },
    ],
  });
  const { sessionId } = await runner.createSession({ env, trust: true });
  const { end } = await say('Go', { sessionId, headless: true });
  expect(await end).toMatchObject({
    outcome: 'needs-answer',
    failure: { code: 'needs_answer', message: 'shell: npm test' },
  });
  expect(results(sessionId).map(([outcome]) => outcome)).toEqual(['denied', 'denied']);
  await runner.setMode(sessionId, 'full');
  await runner.startTurn({ env, sessionId, text: 'Go on', trust: true, headless: true });
  const last = () => events(sessionId).at(-1)?.event as SessionEvent;
  while (last().kind !== 'turn.finished') await new Promise((resolve) => setImmediate(resolve));
  expect(last()).toMatchObject({ outcome: 'done' });
});
