/** While a turn that a restart left open waits for the key of its model, another model is chosen: that is the answer. */
import { afterEach, expect, test } from '@jest/globals';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import { openScene, type Scene } from '../harness.ts';

let scene: Scene;
afterEach(() => scene.close());

const only = <K extends SessionEvent['kind']>(id: SessionId, kind: K) =>
  scene.events(id).flatMap(({ event }) => (event.kind === kind ? [event as Extract<SessionEvent, { kind: K }>] : []));
const modelsAsked = () => scene.gateway.requests.map(({ bodyText }) => JSON.parse(bodyText).model);
const choose = (sessionId: SessionId, model = 'sim/small') =>
  scene.runner.selectModel({ env: scene.env, sessionId, model });

/** Its first request is never answered; the next daemon has no key for it. */
async function waiting(): Promise<SessionId> {
  const faults = [{ fault: { kind: 'no-answer' as const }, times: 1 }];
  scene = await openScene({ steps: [{ text: 'Done.' }], faults });
  const { sessionId } = await scene.say('Go');
  await scene.gateway.received(1);
  await scene.restart(undefined, { client: false });
  await scene.until(sessionId, 'question.asked');
  return sessionId;
}

test('a model that is chosen by a client that has its key answers the question, and the turn goes on with it', async () => {
  const sessionId = await waiting();
  await choose(sessionId);
  expect(await scene.until(sessionId, 'turn.finished')).toMatchObject({ outcome: 'done' });
  expect(modelsAsked()).toEqual(['sim', 'small']);
  expect(only(sessionId, 'question.asked')).toHaveLength(1);
  expect(only(sessionId, 'question.answered')).toMatchObject([{ reason: 'the key is at hand' }]);
  expect(only(sessionId, 'model.changed')).toMatchObject([{ model: 'sim/small' }]);
  expect(only(sessionId, 'request.started').map(({ model }) => model)).toEqual(['sim/sim', 'sim/small']);
  expect(scene.runner.pendingQuestions(sessionId)).toEqual([]);
});

test('a choice whose daemon dies before it is taken up is taken up by the next one, with the key of who connects', async () => {
  const sessionId = await waiting();
  await scene.store.append(sessionId, [{ kind: 'model.chosen', model: 'sim/small' }]);
  await scene.restart();
  expect(await scene.until(sessionId, 'turn.finished')).toMatchObject({ outcome: 'done' });
  expect(modelsAsked()).toEqual(['sim', 'small']);
  expect(only(sessionId, 'model.changed')).toMatchObject([{ model: 'sim/small' }]);
  expect(only(sessionId, 'question.asked')).toHaveLength(1);
});

test('a model that is chosen without its key is refused, and the question stays', async () => {
  const sessionId = await waiting();
  const open = scene.runner.pendingQuestions(sessionId);
  await expect(scene.runner.selectModel({ env: {}, sessionId, model: 'sim/small' })).rejects.toMatchObject({
    code: 'key_missing',
  });
  expect(scene.runner.pendingQuestions(sessionId)).toEqual(open);
});
