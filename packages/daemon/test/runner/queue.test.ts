import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import { openScene, type Scene, type SceneWish } from './harness.ts';

let scene: Scene;
async function open(wish: SceneWish): Promise<SessionId> {
  scene = await openScene(wish);
  const { sessionId } = await scene.runner.createSession({ env: scene.env, mode: 'full', trust: true });
  return sessionId;
}
afterEach(() => scene.close());

const only = <K extends SessionEvent['kind']>(sessionId: SessionId, kind: K) =>
  scene
    .events(sessionId)
    .flatMap(({ event }) => (event.kind === kind ? [event as Extract<SessionEvent, { kind: K }>] : []));
const said = (sessionId: SessionId) => only(sessionId, 'message.submitted').map(({ text }) => text);
const add = (sessionId: SessionId, text: string, more = {}) =>
  scene.runner.queue({ env: scene.env, sessionId, text, trust: true, ...more });
const held = [{ fault: { kind: 'no-answer' as const }, times: 1 }];

function gate() {
  let begin = () => {};
  const begins = new Promise<void>((resolve) => {
    begin = resolve;
  });
  return { begins, begin: () => begin() };
}

async function eventually(met: () => boolean): Promise<void> {
  while (!met()) await new Promise((resolve) => setTimeout(resolve, 5));
}
const ended = (sessionId: SessionId, times: number) =>
  eventually(() => only(sessionId, 'turn.finished').length === times && scene.runner.runningTurns() === 0);

test('waiting prompts begin by themselves, in order, each when the one before it is done', async () => {
  const { begins, begin } = gate();
  const sessionId = await open({ steps: [{ text: 'One.', begins }] });
  await scene.say('first', { sessionId });
  const second = await add(sessionId, 'second', { headless: true, maxRequests: 4 });
  await add(sessionId, 'third');
  expect(second).not.toHaveProperty('began');
  begin();
  await ended(sessionId, 3);
  expect(said(sessionId)).toEqual(['first', 'second', 'third']);
  expect(only(sessionId, 'message.submitted')[1]?.promptId).toBe(second.promptId);
  expect(only(sessionId, 'turn.started').map(({ headless, maxRequests }) => [headless, maxRequests])).toEqual([
    [undefined, undefined],
    [true, 4],
    [undefined, undefined],
  ]);
});

test('a prompt for an idle session begins at once', async () => {
  const sessionId = await open({ steps: [{ text: 'Hi.' }] });
  const { began } = await add(sessionId, 'hello', { model: 'sim/small' });
  expect(began).toBe(only(sessionId, 'turn.started')[0]?.turnId);
  expect(only(sessionId, 'model.changed')).toEqual([{ kind: 'model.changed', model: 'sim/small' }]);
  await ended(sessionId, 1);
});

test('a waiting prompt can be changed and taken back until it runs, and not after (2.12)', async () => {
  const sessionId = await open({ steps: [{ text: 'One.' }, { text: 'Two.' }], faults: held });
  const { end } = await scene.say('first', { sessionId });
  await scene.gateway.received(1);
  const { promptId } = await add(sessionId, '/compact then go');
  const other = await add(sessionId, 'never mind');
  await scene.runner.changePrompt({ sessionId, promptId, text: 'go' });
  await scene.runner.changePrompt({ sessionId, promptId: other.promptId, text: null });
  await expect(scene.runner.changePrompt({ sessionId, promptId, text: ' ' })).rejects.toMatchObject({
    code: 'invalid_params',
  });
  expect(scene.runner.queued(sessionId).prompts.map(({ text }) => text)).toEqual(['go']);
  await scene.runner.interrupt(sessionId);
  await end;
  await scene.runner.runQueue({ env: scene.env, sessionId, trust: true });
  for (const id of [promptId, other.promptId])
    await expect(scene.runner.changePrompt({ sessionId, promptId: id, text: 'late' })).rejects.toMatchObject({
      code: 'already_resolved',
      message: expect.stringContaining('Nothing was changed'),
    });
  await ended(sessionId, 2);
  expect(said(sessionId)).toEqual(['first', 'go']);
});

test('what was acknowledged last is what is submitted, however close the change comes to the beginning', async () => {
  const sessionId = await open({});
  for (let n = 0; n < 12; n++) {
    const began = add(sessionId, `old ${n}`);
    await eventually(() => only(sessionId, 'prompt.queued').length > n);
    const promptId = only(sessionId, 'prompt.queued').at(-1)?.promptId;
    for (let tick = 0; tick < n; tick++) await Promise.resolve();
    if (promptId === undefined) throw new Error('nothing was queued');
    const changed = await scene.runner
      .changePrompt({ sessionId, promptId, text: `new ${n}` })
      .then(() => true)
      .catch(() => false);
    await began;
    await ended(sessionId, n + 1);
    expect(said(sessionId).at(-1)).toBe(changed ? `new ${n}` : `old ${n}`);
  }
});

test('behind an interrupt nothing begins until the user says something; then the queue goes on', async () => {
  const sessionId = await open({ faults: held });
  const { end } = await scene.say('first', { sessionId });
  await scene.gateway.received(1);
  await add(sessionId, 'third');
  await scene.runner.interrupt(sessionId);
  await end;
  expect(await add(sessionId, 'fourth')).not.toHaveProperty('began');
  expect(scene.runner.queued(sessionId)).toMatchObject({
    prompts: [{ text: 'third' }, { text: 'fourth' }],
    paused: true,
  });
  await scene.say('second', { sessionId });
  await ended(sessionId, 4);
  expect(said(sessionId)).toEqual(['first', 'second', 'third', 'fourth']);
});

test('behind a turn that failed nothing begins, until the queue is told to run', async () => {
  const { begins, begin } = gate();
  const sessionId = await open({ steps: [{ begins, text: 'No.', stop: 'refusal' }] });
  await scene.say('first', { sessionId });
  await add(sessionId, 'second');
  begin();
  await ended(sessionId, 1);
  const { env, runner } = scene;
  expect(only(sessionId, 'turn.finished')[0]).toMatchObject({ outcome: 'failed' });
  expect(await runner.runQueue({ env, sessionId, trust: true })).toBe(only(sessionId, 'turn.started')[1]?.turnId);
  await ended(sessionId, 2);
  expect(await runner.runQueue({ env, sessionId, trust: true })).toBe(undefined);
});

test('after a restart the next prompt waits visibly for the key, and begins when a client connects that has it', async () => {
  const sessionId = await open({ steps: [{ text: 'One.' }, { text: 'Two.' }], faults: held });
  await scene.say('first', { sessionId });
  await scene.gateway.received(1);
  await add(sessionId, 'second');
  // The turn itself ends; only the prompt is left.
  await scene.restart(undefined, { client: false });
  await scene.until(sessionId, 'question.asked');
  await scene.runner.interrupt(sessionId);
  await scene.runner.runQueue({ env: {}, sessionId, trust: true }).catch((error: { code: string }) => {
    expect(error.code).toBe('key_missing');
  });
  expect(said(sessionId)).toEqual(['first']);
  expect(scene.runner.queued(sessionId).prompts).toHaveLength(1);
});

test('a prompt that waited behind a finished turn begins by itself in the next daemon', async () => {
  const sessionId = await open({ steps: [{ text: 'One.' }, { text: 'Two.' }] });
  await scene.say('first', { sessionId });
  await ended(sessionId, 1);
  // A client without the key and without the word for the repository: it is kept, and waits.
  await scene.runner.queue({ env: {}, sessionId, text: 'second' });
  const waits = () => scene.runner.waits().map((wait) => wait.for);
  expect(waits()).toEqual([expect.stringMatching(/^what the next prompt needs to begin: untrusted: /)]);
  trustForGood();
  await scene.restart(undefined, { client: false });
  await eventually(() => waits().length > 0);
  expect(waits()).toEqual([expect.stringMatching(/^what the next prompt needs to begin: key_missing: /)]);
  scene.runner.offerEnv({ PATH: '' });
  scene.runner.offerEnv(scene.env);
  await ended(sessionId, 2);
  expect([said(sessionId), waits()]).toEqual([['first', 'second'], []]);
});

test('with a key in the configuration the next daemon needs no client to go on', async () => {
  const sessionId = await open({ steps: [{ text: 'One.' }, { text: 'Two.' }] });
  await scene.say('first', { sessionId });
  await ended(sessionId, 1);
  await scene.runner.queue({ env: {}, sessionId, text: 'second' });
  trustForGood();
  await scene.restart(undefined, { client: false, apiKey: 'canary-key-4711' });
  await ended(sessionId, 2);
  expect(said(sessionId)).toEqual(['first', 'second']);
});

function trustForGood(): void {
  writeFileSync(join(scene.folder, 'trusted'), '');
}

test('trust for one run does not outlive the daemon: the queue says why it waits, and goes on when the user trusts', async () => {
  const sessionId = await open({ steps: [{ text: 'One.' }], faults: held });
  await scene.say('first', { sessionId });
  await scene.gateway.received(1);
  const { promptId } = await add(sessionId, 'second');
  await scene.restart();
  await ended(sessionId, 1);
  const needs = { code: 'untrusted', message: expect.stringContaining('Run `zerd trust` there') };
  await eventually(() => only(sessionId, 'prompt.held').length > 0);
  expect(only(sessionId, 'prompt.held')).toEqual([{ kind: 'prompt.held', promptId, needs }]);
  expect(scene.runner.queued(sessionId)).toMatchObject({ prompts: [{ text: 'second' }], paused: true, needs });
  expect(scene.runner.waits()).toMatchObject([
    { for: expect.stringMatching(/^what the next prompt needs to begin: untrusted: /), blocks: true },
  ]);
  // Whoever comes without trust changes nothing, and nothing is told twice.
  scene.runner.offerEnv(scene.env);
  await eventually(() => scene.runner.queued(sessionId).paused);
  expect(only(sessionId, 'prompt.held')).toHaveLength(1);
  writeFileSync(join(scene.folder, 'trusted'), '');
  scene.runner.trusted(scene.env);
  await ended(sessionId, 2);
  expect([said(sessionId), scene.runner.waits()]).toEqual([['first', 'second'], []]);
  expect(scene.runner.queued(sessionId)).toEqual({ prompts: [], paused: false });
});

test('a prompt of a client that trusts for one run begins when that client says so again', async () => {
  const sessionId = await open({ steps: [{ text: 'One.' }], faults: held });
  await scene.say('first', { sessionId });
  await scene.gateway.received(1);
  await add(sessionId, 'second');
  await scene.restart();
  await eventually(() => only(sessionId, 'prompt.held').length > 0);
  await expect(scene.runner.runQueue({ env: scene.env, sessionId })).rejects.toMatchObject({ code: 'untrusted' });
  expect(scene.runner.queued(sessionId)).toMatchObject({ paused: true, needs: { code: 'untrusted' } });
  await scene.runner.runQueue({ env: scene.env, sessionId, trust: true });
  await ended(sessionId, 2);
  expect(said(sessionId)).toEqual(['first', 'second']);
});
