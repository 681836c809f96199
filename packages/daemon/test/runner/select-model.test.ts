import { afterEach, expect, test } from '@jest/globals';
import { openScene, type Scene } from './harness.ts';

let scene: Scene;
afterEach(() => scene.close());

test('another model answers from the next turn on, and choosing the same again logs nothing', async () => {
  scene = await openScene({ steps: [{ text: 'One.' }, { text: 'Two.' }] });
  const { runner, env, say } = scene;
  const { sessionId, end } = await say('Go');
  await end;
  expect(await runner.selectModel({ env, sessionId, model: 'sim/small' })).toBe('sim/small');
  expect(await runner.selectModel({ env, sessionId, model: 'sim/small' })).toBe('sim/small');
  await say('More', { sessionId });
  while (scene.gateway.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(scene.gateway.requests.map(({ bodyText }) => JSON.parse(bodyText).model)).toEqual(['sim', 'small']);
  expect(scene.events(sessionId).filter(({ event }) => event.kind === 'model.changed')).toHaveLength(1);
});

test.each([
  ['nowhere/none', {}, 'unknown_model'],
  ['sim/small', { SIM_KEY: '' }, 'key_missing'],
])('%s with %j is refused and nothing changes', async (model, more, code) => {
  scene = await openScene({ steps: [{ text: 'One.' }] });
  const { sessionId, end } = await scene.say('Go');
  await end;
  const before = scene.events(sessionId);
  await expect(scene.runner.selectModel({ env: { ...scene.env, ...more }, sessionId, model })).rejects.toMatchObject({
    code,
  });
  expect(scene.events(sessionId)).toEqual(before);
});
