/** What runs without being asked about beside what the mode allows: commands that only look, and what the user allowed. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Mode } from '@zerd/protocol/common/mode';
import { openScene, type Scene, type SceneWish } from './harness.ts';

let scene: Scene;
afterEach(() => scene.close());

const shell = (command: string) => ({ name: 'shell', input: { command } });
const only = <K extends SessionEvent['kind']>(id: SessionId, kind: K) =>
  scene.events(id).flatMap(({ event }) => (event.kind === kind ? [event as Extract<SessionEvent, { kind: K }>] : []));

async function begin(mode: Mode, answers: readonly (readonly string[])[], wish: SceneWish = {}): Promise<SessionId> {
  scene = await openScene({ steps: answers.map((commands) => ({ calls: commands.map(shell) })), ...wish });
  writeFileSync(join(scene.folder, 'secret'), 'canary\n');
  writeFileSync(join(scene.root, 'a'), 'text\n');
  symlinkSync('../secret', join(scene.root, 'link'));
  const { sessionId } = await scene.runner.createSession({ env: scene.env, mode, trust: true });
  await scene.say('Go', { sessionId });
  return sessionId;
}

/** Undefined: the call was asked about. */
async function outcomeOf(mode: Mode, command: string): Promise<string | undefined> {
  const sessionId = await begin(mode, [[command]]);
  await Promise.race([scene.until(sessionId, 'approval.requested'), scene.until(sessionId, 'turn.finished')]);
  return only(sessionId, 'toolCall.finished')[0]?.outcome;
}

test.each([
  ['read-only', 'cat a', 'ok'],
  ['ask', 'cat a | head -1', 'ok'],
  ['edit', 'ls -la 2>&1', 'ok'],
  ['read-only', 'cat ../secret', 'denied'],
  ['read-only', 'cat link', 'denied'],
  ['read-only', 'touch b', 'denied'],
  ['ask', 'cat ../secret', undefined],
  ['ask', 'cat link', undefined],
  ['edit', 'cd .. && cat secret', undefined],
  ['edit', 'touch b', undefined],
] as const)('in mode %s `%s` comes to %s without a question', async (mode, command, expected) => {
  expect(await outcomeOf(mode, command)).toBe(expected);
});

test('S-56: git that looks runs nothing that the repository names', async () => {
  scene = await openScene({ steps: [{ calls: [shell('git status --short')] }] });
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: scene.root, env: scene.env, stdio: 'ignore' });
  git('init', '-q');
  git('config', 'core.fsmonitor', `touch ${join(scene.folder, 'sprung')}; true`);
  const { sessionId } = await scene.runner.createSession({ env: scene.env, mode: 'read-only', trust: true });
  writeFileSync(join(scene.root, 'a'), '');
  const { end } = await scene.say('Go', { sessionId });
  await end;
  expect(only(sessionId, 'toolCall.finished')).toMatchObject([
    { outcome: 'ok', shown: expect.stringContaining('?? a') },
  ]);
  expect(existsSync(join(scene.folder, 'sprung'))).toBe(false);
  git('status');
  expect(existsSync(join(scene.folder, 'sprung'))).toBe(true);
});

test('a yes for good holds for what else is asked, for the next call, and for the next daemon', async () => {
  const sessionId = await begin('edit', [['touch b', 'touch b'], ['touch b'], ['touch c']]);
  const { approvalId, digest, always } = await scene.until(sessionId, 'approval.requested');
  expect(always).toEqual(['touch b']);
  await scene.runner.answer({ sessionId, approvalId, digest, decision: 'granted', always: true, by: 'me' });
  while (only(sessionId, 'approval.requested').length < 2) await new Promise((resolve) => setImmediate(resolve));
  expect(only(sessionId, 'approval.requested').map((asked) => asked.asks)).toEqual([
    'shell: touch b',
    'shell: touch c',
  ]);
  expect(only(sessionId, 'approval.answered')).toMatchObject([{ decision: 'granted', always: ['touch b'], by: 'me' }]);
  expect(existsSync(join(scene.root, 'b'))).toBe(true);
  await scene.restart();
  expect(scene.runner.pendingApprovals(sessionId)).toMatchObject([{ asks: 'shell: touch c', always: ['touch c'] }]);
});

test('what is allowed for good goes on in every session that asks for it', async () => {
  const first = await begin('edit', [['touch b'], ['touch b'], ['touch c']]);
  const { approvalId, digest } = await scene.until(first, 'approval.requested');
  const others = [];
  for (const mode of ['ask', 'edit'] as const) {
    const { sessionId } = await scene.runner.createSession({ env: scene.env, mode, trust: true });
    await scene.say('Go', { sessionId });
    await scene.until(sessionId, 'approval.requested');
    others.push(sessionId);
  }
  await scene.runner.answer({ sessionId: first, approvalId, digest, decision: 'granted', always: true, by: 'me' });
  const [same, other] = others.map((sessionId) => only(sessionId, 'approval.answered'));
  expect(same).toMatchObject([{ decision: 'granted', reason: 'it was allowed for good', by: 'me' }]);
  expect(other).toEqual([]);
  writeFileSync(join(scene.folder, 'grants.json'), JSON.stringify({ root: scene.root, commands: ['touch c'] }));
  await scene.runner.allowedMore();
  expect(only(others[1] as SessionId, 'approval.answered')).toMatchObject([{ reason: 'it was allowed for good' }]);
});

test('what cannot be allowed for good, or is refused, is not kept, and stays asked', async () => {
  const sessionId = await begin('ask', [['echo x > b']]);
  const { approvalId, digest, always } = await scene.until(sessionId, 'approval.requested');
  expect(always).toBeUndefined();
  for (const decision of ['granted', 'denied'] as const)
    await expect(scene.runner.answer({ sessionId, approvalId, digest, decision, always: true })).rejects.toMatchObject({
      code: 'invalid_params',
    });
  expect(scene.runner.pendingApprovals(sessionId)).toHaveLength(1);
});

test('where it cannot be kept, nothing is answered', async () => {
  const sessionId = await begin('edit', [['touch b']]);
  const { approvalId, digest } = await scene.until(sessionId, 'approval.requested');
  mkdirSync(join(scene.folder, 'grants.json'));
  await expect(
    scene.runner.answer({ sessionId, approvalId, digest, decision: 'granted', always: true }),
  ).rejects.toMatchObject({ code: 'store_failed' });
  expect(scene.runner.pendingApprovals(sessionId)).toHaveLength(1);
  await scene.runner.answer({ sessionId, approvalId, digest, decision: 'granted' });
  expect(await scene.until(sessionId, 'turn.finished')).toMatchObject({ outcome: 'done' });
});

test('the user allows commands for every repository in the configuration', async () => {
  const sessionId = await begin('edit', [['touch b && cat a']], { config: { permissions: { commands: ['touch *'] } } });
  expect(await scene.until(sessionId, 'turn.finished')).toMatchObject({ outcome: 'done' });
  expect(only(sessionId, 'approval.requested')).toEqual([]);
  expect(existsSync(join(scene.root, 'b'))).toBe(true);
});

test('nothing is allowed for good in a read-only session', async () => {
  const sessionId = await begin('read-only', [['touch b']], { config: { permissions: { commands: ['touch *'] } } });
  await scene.until(sessionId, 'turn.finished');
  expect(only(sessionId, 'toolCall.finished')).toMatchObject([{ outcome: 'denied' }]);
});
