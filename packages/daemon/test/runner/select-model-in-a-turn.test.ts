/** Another model is chosen while a turn runs: it takes hold with the next request, whatever was waited for. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import type { SessionEvent } from '@zerd/protocol/common/event';
import { type RequestId, requestIdSchema, type SessionId } from '@zerd/protocol/common/ids';
import type { Step } from '@zerd/simulator/players/player';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import { openScene, type Scene } from './harness.ts';

let scene: Scene;
afterEach(() => scene.close());

const choose = (sessionId: SessionId, model: string) => scene.runner.selectModel({ env: scene.env, sessionId, model });
const modelsAsked = () => scene.gateway.requests.map(({ bodyText }) => JSON.parse(bodyText).model);
const kinds = (sessionId: SessionId) =>
  scene
    .events(sessionId)
    .map(({ event }) => event)
    .filter(({ kind }) => /^(model\.|request\.|assistant\.|turn\.finished)/.test(kind))
    .map((event) => ('model' in event ? `${event.kind} ${event.model}` : event.kind));

/** An answer that begins when it is let go. */
function held(step: Step) {
  let letGo = () => {};
  const begins = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  return { step: { ...step, begins }, letGo: () => letGo() };
}

/** What the daemon says that it sent is what the gateway got (I2). */
function expectBodiesAsSent(sessionId: SessionId): void {
  const ids = scene
    .events(sessionId)
    .flatMap(({ event }): RequestId[] =>
      event.kind === 'request.started' ? [requestIdSchema.parse(event.requestId)] : [],
    );
  const told = ids.map((id) => JSON.parse(scene.runner.contextBody(sessionId, id).body));
  expect(told).toEqual(scene.gateway.requests.map(({ bodyText }) => JSON.parse(bodyText)));
}

const look: Step = { reasoning: 'I look.', calls: [{ name: 'read', input: { path: 'a.txt' } }] };
const files = { 'a.txt': 'alpha\n' };

test('chosen while an answer is written, it is asked next, and the answer stays that of the model before', async () => {
  const first = held(look);
  scene = await openScene({ steps: [first.step, { text: 'Done.' }], files });
  const { sessionId, end } = await scene.say('Go');
  await scene.until(sessionId, 'request.started');
  expect(await choose(sessionId, 'sim/small')).toBe('sim/small');
  first.letGo();
  expect(await end).toMatchObject({ outcome: 'done' });
  expect(modelsAsked()).toEqual(['sim', 'small']);
  expect(kinds(sessionId)).toEqual([
    'request.started sim/sim',
    'model.chosen sim/small',
    'assistant.finished',
    'model.changed sim/small',
    'request.started sim/small',
    'assistant.finished',
    'turn.finished',
  ]);
  expectBodiesAsSent(sessionId);
});

test('chosen while the last answer is written, it answers from the next turn on', async () => {
  const last = held({ text: 'Done.' });
  scene = await openScene({ steps: [last.step, { text: 'More.' }] });
  const { sessionId, end } = await scene.say('Go');
  await scene.until(sessionId, 'request.started');
  await choose(sessionId, 'sim/small');
  last.letGo();
  await end;
  expect(kinds(sessionId).slice(-2)).toEqual(['turn.finished', 'model.changed sim/small']);
  const further = await scene.say('More', { sessionId });
  await further.end;
  while (modelsAsked().length < 2) await new Promise((resolve) => setImmediate(resolve));
  expect(modelsAsked()).toEqual(['sim', 'small']);
});

test('taken back before it takes hold, nothing changes', async () => {
  const first = held(look);
  scene = await openScene({ steps: [first.step, { text: 'Done.' }], files });
  const { sessionId, end } = await scene.say('Go');
  await scene.until(sessionId, 'request.started');
  await choose(sessionId, 'sim/small');
  await choose(sessionId, 'sim/sim');
  await choose(sessionId, 'sim/sim');
  first.letGo();
  await end;
  expect(modelsAsked()).toEqual(['sim', 'sim']);
  expect(kinds(sessionId).filter((kind) => kind.startsWith('model.'))).toEqual([
    'model.chosen sim/small',
    'model.chosen sim/sim',
  ]);
});

test('chosen while the next attempt is waited for, it is asked at once', async () => {
  const clock = manualClock();
  scene = await openScene({
    steps: [{ text: 'Done.' }],
    faults: [{ on: 1, fault: { kind: 'overloaded' } }],
    clock,
  });
  addProviders();
  const { sessionId, end } = await scene.say('Go');
  await scene.until(sessionId, 'request.failed');
  await choose(sessionId, 'chat/small');
  // Time stands still: the pause before another attempt at the first provider never ends.
  expect(await end).toMatchObject({ outcome: 'done' });
  expect(kinds(sessionId)).toEqual([
    'request.started sim/sim',
    'request.failed',
    'model.chosen chat/small',
    'model.changed chat/small',
    'request.started chat/small',
    'assistant.finished',
    'turn.finished',
  ]);
});

test('one that is gone from the settings when its time comes is given up with the reason, and the turn goes on', async () => {
  const first = held(look);
  scene = await openScene({ steps: [first.step, { text: 'Done.' }], files });
  const { sessionId, end } = await scene.say('Go');
  await scene.until(sessionId, 'request.started');
  await choose(sessionId, 'sim/small');
  const file = join(scene.folder, 'config.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace('"small"', '"other"'));
  first.letGo();
  expect(await end).toMatchObject({ outcome: 'done' });
  expect(modelsAsked()).toEqual(['sim', 'sim']);
  const given = scene
    .events(sessionId)
    .flatMap(({ event }): SessionEvent[] => (event.kind === 'model.chosen' ? [event] : []))
    .at(-1);
  expect(given).toMatchObject({ model: 'sim/sim', reason: expect.stringContaining('sim/small') });
});

test('chosen before the daemon dies, it is asked by the one that goes on', async () => {
  const first = held(look);
  scene = await openScene({ steps: [first.step, { text: 'Done.' }], files });
  const { sessionId } = await scene.say('Go');
  await scene.until(sessionId, 'request.started');
  await choose(sessionId, 'sim/small');
  await scene.restart();
  first.letGo();
  expect(await scene.until(sessionId, 'turn.finished')).toMatchObject({ outcome: 'done' });
  expect(modelsAsked().at(-1)).toBe('small');
});

test('over three wires and back, with reasoning that is bound, in one turn: every request is valid and is what the log says (I12, I2)', async () => {
  const answers = Array.from({ length: 9 }, () => held(look));
  const gatewayModels = { third: { window: 200_000, maxOutput: 64_000 } };
  scene = await openScene({ steps: [...answers.map(({ step }) => step), { text: 'Done.' }], files, gatewayModels });
  addProviders();
  const { sessionId, end } = await scene.say('Go');
  const wires = ['chat/small', 'responses/third', 'sim/sim'];
  for (const [n, { letGo }] of answers.entries()) {
    while (scene.gateway.requests.length <= n) await new Promise((resolve) => setImmediate(resolve));
    await choose(sessionId, wires[n % wires.length] ?? '');
    letGo();
  }
  expect(await end).toMatchObject({ outcome: 'done' });
  const asked = kinds(sessionId).filter((kind) => kind.startsWith('request.'));
  expect(asked).toEqual(['sim/sim', ...wires, ...wires, ...wires].map((model) => `request.started ${model}`));
  expectBodiesAsSent(sessionId);
});

/** The same gateway by its other two wires, each with a model of its own; all of them bind their reasoning. */
function addProviders(): void {
  const file = join(scene.folder, 'config.json');
  const config = JSON.parse(readFileSync(file, 'utf8'));
  const { sim } = config.providers;
  const facts = { contextWindow: 200_000, maxOutput: 8_000, bindsReasoning: true };
  const of = (wire: string, id: string) => ({
    ...sim,
    wire,
    baseUrl: `${scene.gateway.origin}/v1`,
    models: [{ id, ...facts }],
  });
  const models = [{ id: 'sim', ...facts }];
  config.providers = { sim: { ...sim, models }, chat: of('chat', 'small'), responses: of('responses', 'third') };
  writeFileSync(file, JSON.stringify(config));
}
