import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import { manualClock } from '../../../../../test/support/manual-clock.ts';
import type { Store } from '../../../src/base/ports.ts';
import { openScene, type Scene, type SceneWish } from '../harness.ts';

let scene: Scene;
async function open(wish: SceneWish, mode: 'ask' | 'full' = 'full'): Promise<SessionId> {
  scene = await openScene(wish);
  return (await scene.runner.createSession({ env: scene.env, mode, trust: true })).sessionId;
}
let endLost = () => {};
afterEach(() => {
  endLost();
  return scene.close();
});

const kinds = (sessionId: SessionId) => scene.events(sessionId).map(({ event }) => event.kind);
const only = <K extends SessionEvent['kind']>(sessionId: SessionId, kind: K) =>
  scene
    .events(sessionId)
    .flatMap(({ event }) => (event.kind === kind ? [event as Extract<SessionEvent, { kind: K }>] : []));
const ran = () => (existsSync(join(scene.root, 'ran')) ? readFileSync(join(scene.root, 'ran'), 'utf8') : '');
const held = [{ fault: { kind: 'no-answer' as const }, times: 1 }];
const touches = { calls: [{ name: 'shell', input: { command: 'echo x >> ran' } }] };

async function eventually(met: () => boolean): Promise<void> {
  while (!met()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Commits nothing from the first event on that `isLast` names: the process dies right before it. */
function diesBefore(isLast: (event: SessionEvent) => boolean) {
  let died = false;
  const never = new Promise<never>((_, reject) => {
    endLost = () => reject(new ZerdError('store_failed', 'The daemon is dead.'));
  });
  never.catch(() => {});
  return {
    died: () => died,
    throughStore: (store: Store): Store => ({
      ...store,
      append(sessionId, events) {
        if (died || !events.some(isLast)) return store.append(sessionId, events);
        died = true;
        return never;
      },
    }),
  };
}

test('a turn that died in the middle of an answer goes on by itself, also without anybody to watch (P074)', async () => {
  const sessionId = await open({
    steps: [{ text: 'Half an ', fault: { kind: 'silence', after: 'output' } }, { text: 'never' }],
  });
  await scene.say('Go', { sessionId, headless: true, maxRequests: 3 });
  await scene.gateway.received(1);
  await scene.restart(undefined, { client: false, apiKey: scene.env.SIM_KEY ?? '' });
  expect(await scene.until(sessionId, 'turn.finished')).toMatchObject({ outcome: 'done' });
  expect(kinds(sessionId)).toEqual([
    'session.created',
    'turn.started',
    'message.submitted',
    'request.started',
    'request.failed',
    'turn.resumed',
    'request.started',
    'assistant.finished',
    'turn.finished',
  ]);
  const [first, second] = only(sessionId, 'request.started').map(({ segments }) => segments);
  expect(second).toEqual(first);
});

test('a call that had not begun is run once, one that had is not', async () => {
  const died = diesBefore((event) => event.kind === 'toolCall.started' && event.callId.endsWith('_2'));
  const sessionId = await open({
    throughStore: died.throughStore,
    steps: [{ calls: [...touches.calls, ...touches.calls] }],
  });
  await scene.say('Go', { sessionId });
  await eventually(died.died);
  await scene.restart();
  expect(await scene.until(sessionId, 'turn.finished')).toMatchObject({ outcome: 'done' });
  expect(ran()).toBe('x\nx\n');
  expect(only(sessionId, 'toolCall.finished').map(({ outcome }) => outcome)).toEqual(['ok', 'ok']);
});

test('what a write left beside its file when the daemon was killed goes when the next one begins', async () => {
  const died = diesBefore(({ kind }) => kind === 'toolCall.finished');
  const calls = [{ name: 'write', input: { path: './a.txt', content: 'a' } }];
  const sessionId = await open({ throughStore: died.throughStore, steps: [{ calls }] });
  await scene.say('Go', { sessionId });
  await eventually(died.died);
  const { pid = 0 } = spawnSync('true');
  writeFileSync(join(scene.root, `.zerd-${pid}-0123abcd-0123456789abcdef.tmp`), 'half');
  await scene.restart();
  expect(await scene.until(sessionId, 'turn.finished')).toMatchObject({ outcome: 'done' });
  expect(readdirSync(scene.root)).toEqual(['a.txt']);
});

test('a pending approval outlives the daemon under its id, and the call runs once when it is granted (F-31)', async () => {
  const clock = manualClock();
  const sessionId = await open({ clock, steps: [touches] }, 'ask');
  await scene.say('Go', { sessionId });
  const { approvalId, digest } = await scene.until(sessionId, 'approval.requested');
  clock.advance(60_000);
  await scene.restart();
  await scene.until(sessionId, 'turn.resumed');
  expect(scene.runner.pendingApprovals(sessionId)).toMatchObject([{ approvalId, digest }]);
  await eventually(() => scene.runner.waits().length > 0);
  const [wait] = scene.runner.waits();
  expect((wait?.deadlineAt ?? 0) - (wait?.sinceAt ?? 0)).toBe(24 * 3_600_000 - 60_000);
  const answer = { sessionId, approvalId, digest };
  await scene.runner.answer({ ...answer, decision: 'granted', by: 'zerd' });
  await expect(scene.runner.answer({ ...answer, decision: 'denied' })).rejects.toMatchObject({
    code: 'already_resolved',
  });
  expect(await scene.until(sessionId, 'turn.finished')).toMatchObject({ outcome: 'done' });
  expect([ran(), only(sessionId, 'approval.requested').length]).toEqual(['x\n', 1]);
  expect(only(sessionId, 'approval.answered')).toMatchObject([{ decision: 'granted', by: 'zerd' }]);
});

test('an approval that is answered while the next daemon waits for the key is acted on once', async () => {
  const sessionId = await open({ steps: [touches] }, 'ask');
  await scene.say('Go', { sessionId });
  const { approvalId, digest } = await scene.until(sessionId, 'approval.requested');
  await scene.restart(undefined, { client: false });
  await scene.until(sessionId, 'question.asked');
  await scene.runner.answer({ sessionId, approvalId, digest, decision: 'granted' });
  expect(ran()).toBe('');
  scene.runner.offerEnv(scene.env);
  expect(await scene.until(sessionId, 'turn.finished')).toMatchObject({ outcome: 'done' });
  expect(ran()).toBe('x\n');
});

test('a call that was granted when the daemon died, and had not begun, runs once', async () => {
  const died = diesBefore(({ kind }) => kind === 'toolCall.started');
  const sessionId = await open({ throughStore: died.throughStore, steps: [touches] }, 'ask');
  await scene.say('Go', { sessionId });
  const { approvalId, digest } = await scene.until(sessionId, 'approval.requested');
  await scene.runner.answer({ sessionId, approvalId, digest, decision: 'granted' });
  await eventually(died.died);
  await scene.restart();
  expect(await scene.until(sessionId, 'turn.finished')).toMatchObject({ outcome: 'done' });
  expect([ran(), only(sessionId, 'approval.requested').length]).toEqual(['x\n', 1]);
});

const asks = { calls: [{ name: 'question', input: { text: 'Which port?', options: ['80', '8080'] } }] };

test('a question outlives the daemon; its answer is the result of the call', async () => {
  const sessionId = await open({ steps: [asks, { text: 'Thanks.' }] }, 'ask');
  await scene.say('Go', { sessionId });
  const { questionId } = await scene.until(sessionId, 'question.asked');
  await scene.restart();
  await scene.until(sessionId, 'turn.resumed');
  expect(scene.runner.pendingQuestions(sessionId)).toMatchObject([
    { questionId, text: 'Which port?', options: ['80', '8080'] },
  ]);
  await scene.runner.answerQuestion({ sessionId, questionId, answer: '8080' });
  expect(await scene.until(sessionId, 'turn.finished')).toMatchObject({ outcome: 'done' });
  expect(only(sessionId, 'toolCall.finished')).toMatchObject([{ outcome: 'ok', shown: '8080' }]);
  expect(only(sessionId, 'question.asked')).toHaveLength(1);
});

test('an answer that came right before the daemon died is not asked for again', async () => {
  const died = diesBefore(({ kind }) => kind === 'toolCall.finished');
  const sessionId = await open({ throughStore: died.throughStore, steps: [asks, { text: 'Thanks.' }] });
  await scene.say('Go', { sessionId });
  const { questionId } = await scene.until(sessionId, 'question.asked');
  await scene.runner.answerQuestion({ sessionId, questionId, answer: 'any' });
  await eventually(died.died);
  await scene.restart();
  expect(await scene.until(sessionId, 'turn.finished')).toMatchObject({ outcome: 'done' });
  expect(only(sessionId, 'toolCall.finished')).toMatchObject([{ outcome: 'ok', shown: 'any' }]);
  expect(only(sessionId, 'question.asked')).toHaveLength(1);
});

test('without its key a turn waits visibly, through more daemons, and goes on when a client brings it', async () => {
  const sessionId = await open({ steps: [{ text: 'Done.' }], faults: held });
  await scene.say('Go', { sessionId, headless: true });
  await scene.gateway.received(1);
  await scene.restart(undefined, { client: false });
  const { questionId, text } = await scene.until(sessionId, 'question.asked');
  expect(text).toContain('sim/sim needs a key and SIM_KEY is not set');
  for (let n = 0; n < 4; n++) await scene.restart(undefined, { client: false });
  await eventually(() => scene.runner.waits().length > 0);
  expect(scene.runner.pendingQuestions(sessionId)).toMatchObject([{ questionId, about: 'key' }]);
  scene.runner.offerEnv({ SIM_KEY: '' });
  scene.runner.offerEnv(scene.env);
  expect(await scene.until(sessionId, 'turn.finished')).toMatchObject({ outcome: 'done' });
  expect(only(sessionId, 'question.answered')).toEqual([expect.objectContaining({ reason: 'the key is at hand' })]);
  expect(only(sessionId, 'turn.resumed')).toHaveLength(1);
});

test('a turn that waits for its key can be ended by the user', async () => {
  const sessionId = await open({ steps: [], faults: held });
  await scene.say('Go', { sessionId });
  await scene.gateway.received(1);
  await scene.restart(undefined, { client: false });
  const { questionId } = await scene.until(sessionId, 'question.asked');
  await scene.runner.answerQuestion({ sessionId, questionId, answer: 'stop' });
  expect(await scene.until(sessionId, 'turn.finished')).toMatchObject({
    outcome: 'failed',
    failure: { code: 'key_missing' },
  });
});

test('a turn that ends one daemon after another is closed with that reason, and the session goes on', async () => {
  const clock = manualClock();
  const sessionId = await open({
    clock,
    steps: [{ text: 'Done.' }],
    faults: [{ fault: { kind: 'no-answer' }, times: 4 }],
  });
  await scene.say('Go', { sessionId });
  for (let n = 1; n <= 3; n++) {
    await scene.gateway.received(n);
    clock.advance(20_000);
    await scene.restart();
    await eventually(() => only(sessionId, 'turn.resumed').length === n);
  }
  await scene.gateway.received(4);
  await scene.restart();
  expect(await scene.until(sessionId, 'turn.finished')).toMatchObject({
    outcome: 'interrupted',
    failure: { message: expect.stringContaining('The daemon ended 4 times in this turn') },
  });
  const { end } = await scene.say('Again', { sessionId });
  expect(await end).toBeDefined();
});

test('a daemon that stops in order hands its turns over to the next one; what had begun says so', async () => {
  const sessionId = await open({
    steps: [{ calls: [{ name: 'shell', input: { command: 'echo x >> ran; sleep 60' } }] }],
  });
  await scene.say('Go', { sessionId });
  await eventually(() => ran() !== '');
  await scene.runner.stop('handOver');
  expect(kinds(sessionId).at(-1)).toBe('toolCall.finished');
  expect(only(sessionId, 'toolCall.finished')).toMatchObject([{ outcome: 'interrupted' }]);
  await scene.restart();
  expect(await scene.until(sessionId, 'turn.finished')).toMatchObject({ outcome: 'done' });
  expect(ran()).toBe('x\n');
});

test('a daemon that stops for good ends its turns', async () => {
  const sessionId = await open({ steps: [], faults: held });
  await scene.say('Go', { sessionId });
  await scene.gateway.received(1);
  await scene.runner.stop();
  expect(only(sessionId, 'turn.finished')).toMatchObject([
    { outcome: 'interrupted', failure: { message: 'the daemon is stopping' } },
  ]);
  await scene.restart();
  expect(kinds(sessionId).at(-1)).toBe('turn.finished');
});

test('a call whose arguments are broken has its answer before and after a crash (P070)', async () => {
  const sessionId = await open({
    steps: [{ calls: [{ name: 'find', inputText: '{"pattern": "a' }] }, { text: 'Sorry.' }],
    faults: [{ fault: { kind: 'no-answer' }, on: 2, times: 1 }],
  });
  await scene.say('Go', { sessionId });
  await scene.gateway.received(2);
  await scene.restart();
  expect(await scene.until(sessionId, 'turn.finished')).toMatchObject({ outcome: 'done' });
  expect(only(sessionId, 'toolCall.finished')).toMatchObject([{ outcome: 'failed' }]);
  expect(scene.gateway.requests.map(({ refusal }) => refusal)).toEqual([null, null, null]);
});
