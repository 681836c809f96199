/** A model without room beside what goes with every request: whoever learns of it learns what became of the message. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Step } from '@zerd/simulator/players/player';
import { openScene, type Scene } from './harness.ts';

let scene: Scene;
afterEach(() => scene.close());

const look: Step = { calls: [{ name: 'read', input: { path: 'a.txt' } }] };

/** An answer that begins when it is let go. */
async function open() {
  let letGo = () => {};
  const begins = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  scene = await openScene({ steps: [{ ...look, begins }, { text: 'Done.' }], files: { 'a.txt': 'alpha\n' } });
  return { letGo: () => letGo() };
}

/** From now on the window of the model is no larger than zerd's own part. */
function shrink(model: 'sim' | 'small'): void {
  const file = join(scene.folder, 'config.json');
  const config = JSON.parse(readFileSync(file, 'utf8'));
  const { models } = config.providers.sim;
  const changed = models.map((one: { id: string }) => (one.id === model ? { ...one, contextWindow: 2_000 } : one));
  config.providers.sim.models = changed;
  writeFileSync(file, JSON.stringify(config));
}

const told = (sessionId: SessionId, kind: SessionEvent['kind']) =>
  scene
    .events(sessionId)
    .map(({ event }) => event)
    .findLast((event) => event.kind === kind);

const tooSmall = (model: string, then: string) =>
  expect.stringMatching(
    new RegExp(
      `^${model} has a window of 2000 tokens, and zerd's instructions and tools, which go with every request, take about \\d+ of them: too little is left to work in\\. ${then}$`,
    ),
  );

test('what was said to it is not taken, and the session is as it was', async () => {
  await open();
  shrink('sim');
  const { sessionId } = await scene.runner.createSession({ env: scene.env, mode: 'full', trust: true });
  await expect(scene.say('Go', { sessionId })).rejects.toMatchObject({
    code: 'window_too_small',
    message: tooSmall('sim/sim', 'Your message was not taken: the session is as it was\\.'),
  });
  expect(scene.events(sessionId).map(({ event }) => event.kind)).toEqual(['session.created']);
});

test('what waits goes on waiting, and says so', async () => {
  const { letGo } = await open();
  const { sessionId, end } = await scene.say('Go');
  const { promptId } = await scene.runner.queue({ env: scene.env, sessionId, text: 'And on', trust: true });
  await scene.gateway.received(1);
  shrink('sim');
  letGo();
  await end;
  const needs = { code: 'window_too_small', message: tooSmall('sim/sim', 'The prompt waits\\.') };
  expect(await scene.until(sessionId, 'prompt.held')).toEqual({ kind: 'prompt.held', promptId, needs });
});

test('chosen in a turn it is given up, and the model of before goes on', async () => {
  const { letGo } = await open();
  const { sessionId, end } = await scene.say('Go');
  await scene.gateway.received(1);
  await scene.runner.selectModel({ env: scene.env, sessionId, model: 'sim/small' });
  shrink('small');
  letGo();
  expect(await end).toMatchObject({ outcome: 'done' });
  expect(told(sessionId, 'model.chosen')).toEqual({
    kind: 'model.chosen',
    model: 'sim/sim',
    reason: tooSmall('sim/small', 'Give the model a larger window, or choose another one\\.'),
  });
});
