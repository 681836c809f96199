/**
 * F-25: a working folder that goes away in the middle of a turn is named by every tool; nothing is asked of the model
 * without it, and the turn goes on when it is back.
 */
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import { type ManualClock, manualClock } from '../../../../test/support/manual-clock.ts';
import { openScene, type Scene, type SceneWish } from './harness.ts';

let scene: Scene;
let clock: ManualClock;
afterEach(() => scene.close());

async function open(wish: SceneWish): Promise<void> {
  clock = manualClock();
  scene = await openScene({ files: { 'a.txt': 'one\n' }, clock, ...wish });
}

const only = <K extends SessionEvent['kind']>(id: SessionId, kind: K) =>
  scene.events(id).flatMap(({ event }) => (event.kind === kind ? [event as Extract<SessionEvent, { kind: K }>] : []));
const waiting = () => scene.runner.waits().filter((wait) => wait.for.startsWith('the working folder'));
const asked = () => scene.gateway.requests.length;
const away = { name: 'shell', input: { command: 'cd / && mv "$OLDPWD" "$OLDPWD.away"' } };
const bringBack = () => renameSync(`${scene.root}.away`, scene.root);

async function eventually(met: () => boolean): Promise<void> {
  while (!met()) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** Until the session is so far; time passes while it is held, and no request runs into its deadline. */
async function passing(met: () => boolean): Promise<void> {
  while (!met()) {
    if (scene.runner.waits().some(({ blocks }) => blocks === true)) clock.advance(1_000);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
const ended = (id: SessionId, times = 1) => passing(() => only(id, 'turn.finished').length === times);

const calls = [
  { name: 'shell', input: { command: 'true' } },
  { name: 'read', input: { path: 'a.txt' } },
  { name: 'write', input: { path: 'b.txt', content: 'b' } },
  { name: 'edit', input: { path: 'a.txt', old: 'one', new: 'two' } },
  { name: 'search', input: { pattern: 'one' } },
  { name: 'find', input: { pattern: '*' } },
];

test('F-25: each call says that the folder is gone and makes none in its place; the model is asked when it is back', async () => {
  await open({ steps: [{ calls: [away, ...calls] }, { text: 'It was gone.' }] });
  const { sessionId } = await scene.say('Go');
  await eventually(() => waiting().length === 1);
  expect(
    only(sessionId, 'toolCall.finished')
      .map(({ outcome, shown }) => [outcome, shown])
      .slice(1),
  ).toEqual(calls.map(() => ['failed', expect.stringContaining(scene.root)]));
  expect(existsSync(scene.root)).toBe(false);
  const [wait] = waiting();
  expect(wait).toMatchObject({
    for: `the working folder ${scene.root}, which is gone: put it back`,
    ...{ sessionId, blocks: true, deadlineAt: (wait?.sinceAt ?? 0) + 24 * 3_600_000 },
  });
  clock.advance(3_600_000);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect([asked(), waiting().length]).toEqual([1, 1]);
  mkdirSync(scene.root);
  await ended(sessionId);
  expect(only(sessionId, 'turn.finished')).toMatchObject([{ outcome: 'done' }]);
  expect([asked(), waiting().length]).toEqual([2, 0]);
});

test('F-25: a call that had not begun waits too, and runs once when the folder is back', async () => {
  await open({
    steps: [{ calls: [{ name: 'shell', input: { command: 'echo x >> ran' } }] }, { text: 'Done.' }],
    throughStore: (store) => ({
      ...store,
      async append(id, events) {
        if (events.some(({ kind }) => kind === 'assistant.finished') && existsSync(scene.root) && asked() === 1)
          renameSync(scene.root, `${scene.root}.away`);
        return await store.append(id, events);
      },
    }),
  });
  const { sessionId } = await scene.say('Go');
  await eventually(() => waiting().length === 1);
  expect(only(sessionId, 'toolCall.started')).toEqual([]);
  bringBack();
  await ended(sessionId);
  expect(only(sessionId, 'toolCall.finished')).toMatchObject([{ outcome: 'ok' }]);
});

test('F-25: what changed while the folder was away is told, and what is said meanwhile goes in with it', async () => {
  const reads = { calls: [{ name: 'read', input: { path: 'a.txt' } }] };
  await open({ steps: [reads, { calls: [away] }, { text: 'I see.' }] });
  const { sessionId } = await scene.say('Go');
  await eventually(() => waiting().length === 1);
  writeFileSync(join(`${scene.root}.away`, 'a.txt'), 'two\n');
  const [{ turnId } = { turnId: '' as never }] = only(sessionId, 'turn.started');
  await scene.runner.steer({ env: scene.env, sessionId, expectedTurnId: turnId, text: 'It is back.', trust: true });
  bringBack();
  await ended(sessionId);
  expect(asked()).toBe(3);
  expect(scene.gateway.requests[2]?.bodyText).toContain('It is back.');
  expect(only(sessionId, 'reminder.added')).toMatchObject([{ about: { kind: 'filesChanged' } }]);
});

test('F-25: an interrupt ends the wait at once', async () => {
  await open({ steps: [{ calls: [away] }] });
  const { sessionId } = await scene.say('Go');
  await eventually(() => waiting().length === 1);
  expect(await scene.runner.interrupt(sessionId)).toBe(true);
  expect(only(sessionId, 'turn.finished')).toMatchObject([{ outcome: 'interrupted' }]);
  expect([asked(), waiting()]).toEqual([1, []]);
});

test('F-25: after a day the turn ends and says what happened, what was kept and what to do; the next one is refused, and works when it is back', async () => {
  await open({ steps: [{ calls: [away] }, { text: 'It is back.' }] });
  const { sessionId } = await scene.say('Go');
  await eventually(() => waiting().length === 1);
  clock.advance(24 * 3_600_000);
  await ended(sessionId);
  expect(only(sessionId, 'turn.finished')).toMatchObject([
    {
      outcome: 'failed',
      failure: {
        code: 'folder_missing',
        message: `The working folder ${scene.root} has been gone for 24 hours; all that was done before is kept. Put it back, then continue the session.`,
      },
    },
  ]);
  await expect(scene.say('And now?', { sessionId })).rejects.toMatchObject({ code: 'folder_missing' });
  bringBack();
  await scene.say('And now?', { sessionId });
  await ended(sessionId, 2);
  expect(asked()).toBe(2);
});

test('F-25: the next daemon waits for the folder as well, and goes on', async () => {
  await open({ steps: [{ calls: [away] }, { text: 'It is back.' }] });
  const { sessionId } = await scene.say('Go');
  await eventually(() => waiting().length === 1);
  await scene.restart(clock);
  await eventually(() => waiting().length === 1);
  expect(asked()).toBe(1);
  bringBack();
  await ended(sessionId);
  expect([asked(), only(sessionId, 'toolCall.started').length]).toEqual([2, 1]);
});

test('F-25: a prompt that waits says that the folder is gone, and begins when it is back', async () => {
  await open({ steps: [{ text: 'One.' }, { text: 'Two.' }] });
  const { sessionId } = await scene.say('Go');
  await ended(sessionId);
  renameSync(scene.root, `${scene.root}.away`);
  await scene.runner.queue({ env: scene.env, sessionId, text: 'And then?', trust: true });
  expect(scene.runner.queued(sessionId)).toMatchObject({ needs: { code: 'folder_missing' } });
  bringBack();
  await ended(sessionId, 2);
  expect([asked(), only(sessionId, 'prompt.held').length]).toEqual([2, 1]);
});
