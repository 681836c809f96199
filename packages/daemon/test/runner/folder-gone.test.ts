/** F-25: a working folder that goes away in the middle of a turn is named by every tool, and the session stays usable. */
import { existsSync, mkdirSync } from 'node:fs';
import { afterEach, expect, test } from '@jest/globals';
import { openScene, type Scene } from './harness.ts';

let scene: Scene;
afterEach(() => scene.close());

const calls = [
  { name: 'shell', input: { command: 'true' } },
  { name: 'read', input: { path: 'a.txt' } },
  { name: 'write', input: { path: 'b.txt', content: 'b' } },
  { name: 'edit', input: { path: 'a.txt', old: 'one', new: 'two' } },
  { name: 'search', input: { pattern: 'one' } },
  { name: 'find', input: { pattern: '*' } },
];

test('F-25: each call says that the folder is gone and makes none in its place; the next turn works when it is back', async () => {
  scene = await openScene({
    files: { 'a.txt': 'one\n' },
    steps: [
      { calls: [{ name: 'shell', input: { command: 'cd / && rm -r "$OLDPWD"' } }] },
      { calls },
      { text: 'It is gone.' },
      { text: 'It is back.' },
    ],
  });
  const { say, events, root, runner, env } = scene;
  const { sessionId, end } = await say('Go');
  expect(await end).toMatchObject({ outcome: 'done' });
  const results = events(sessionId).flatMap(({ event }) =>
    event.kind === 'toolCall.finished' ? [[event.outcome, event.shown] as const] : [],
  );
  expect(results.slice(1)).toEqual(calls.map(() => ['failed', expect.stringContaining(root)]));
  expect(existsSync(root)).toBe(false);
  await expect(runner.startTurn({ env, sessionId, text: 'And now?', trust: true })).rejects.toMatchObject({
    code: 'folder_missing',
  });
  mkdirSync(root);
  await runner.startTurn({ env, sessionId, text: 'And now?', trust: true });
  while (events(sessionId).filter(({ event }) => event.kind === 'turn.finished').length < 2)
    await new Promise((resolve) => setImmediate(resolve));
  expect(events(sessionId).at(-1)?.event).toMatchObject({ outcome: 'done' });
});
