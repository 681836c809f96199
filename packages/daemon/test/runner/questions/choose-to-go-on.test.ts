/** While the user is asked whether to try again, another model is chosen: that is the answer. */
import { afterEach, expect, test } from '@jest/globals';
import type { SessionId } from '@zerd/protocol/common/ids';
import { type ManualClock, manualClock } from '../../../../../test/support/manual-clock.ts';
import { eventually, only } from '../compaction-scene.ts';
import { noting, openScene, type Scene, type SceneWish } from '../harness.ts';

let scene: Scene;
let clock: ManualClock;
let driving: NodeJS.Timeout;
afterEach(async () => {
  clearInterval(driving);
  await scene.close();
});

/** `sim` is overloaded, `small` answers. */
const overloaded = [{ fault: { kind: 'overloaded' } as const, on: [1, 2, 3, 4, 5] }];

async function storm(more: SceneWish = {}): Promise<{ sessionId: SessionId; end: Promise<unknown> }> {
  clock = manualClock();
  scene = await openScene({ steps: [{ text: 'Done.' }], faults: overloaded, clock, ...more });
  driving = setInterval(() => clock.advance(1_000), 2);
  return scene.say('Go');
}

const asks = (sessionId: SessionId) => only(scene.events(sessionId), 'question.asked').length;
const isAsked = (sessionId: SessionId) =>
  eventually(() =>
    scene.runner.waits().some((wait) => wait.for === 'your word whether to try again' && asks(sessionId) > 0),
  );
const choose = (sessionId: SessionId, model = 'sim/small') =>
  scene.runner.selectModel({ env: scene.env, sessionId, model });
const modelsAsked = () => scene.gateway.requests.map(({ bodyText }) => JSON.parse(bodyText).model);

/** One question, and the turn done with one request more, by the model that was chosen. */
function expectGoneOn(sessionId: SessionId): void {
  expect(modelsAsked()).toEqual(['sim', 'sim', 'sim', 'sim', 'sim', 'small']);
  expect(asks(sessionId)).toBe(1);
  expect(only(scene.events(sessionId), 'question.answered')).toMatchObject([{ answer: 'Try again with sim/small' }]);
  expect(only(scene.events(sessionId), 'model.changed')).toMatchObject([{ model: 'sim/small' }]);
  expect(scene.runner.pendingQuestions(sessionId)).toEqual([]);
}

test('another model that is chosen answers the question, and the turn goes on with it', async () => {
  const { sessionId, end } = await storm();
  await isAsked(sessionId);
  expect(scene.runner.pendingQuestions(sessionId)[0]?.text).toMatch(
    /Another model may be chosen instead\. Try again\?$/,
  );
  await choose(sessionId);
  expect(await end).toMatchObject({ outcome: 'done' });
  expectGoneOn(sessionId);
});

test('the choice and the answer are one commit: a daemon that dies right behind it asks nothing again', async () => {
  const commits: (readonly string[])[] = [];
  const { sessionId } = await storm({ throughStore: (store) => noting(store, (kinds) => commits.push(kinds)) });
  await isAsked(sessionId);
  const before = commits.length;
  const chosen = choose(sessionId);
  await scene.restart(clock);
  await Promise.race([chosen.catch(() => {}), scene.until(sessionId, 'turn.finished')]);
  expect(await scene.until(sessionId, 'turn.finished')).toMatchObject({ outcome: 'done' });
  expect(commits[before]).toEqual(['model.chosen', 'question.answered']);
  expectGoneOn(sessionId);
});

test('asked before a restart, the question is answered by a model that is chosen after it', async () => {
  const { sessionId } = await storm();
  await isAsked(sessionId);
  await scene.restart(clock);
  await isAsked(sessionId);
  await choose(sessionId);
  expect(await scene.until(sessionId, 'turn.finished')).toMatchObject({ outcome: 'done' });
  expectGoneOn(sessionId);
});

test.each([
  ['before', 'question.asked', () => choose(idOf())],
  ['after', 'model.chosen', () => scene.until(idOf(), 'question.asked')],
] as const)(
  'chosen as it is being asked, and committed %s it, the turn goes on all the same',
  async (_, held, until) => {
    let sends = 0;
    const { sessionId, end } = await storm({
      throughStore: (store) => ({
        ...store,
        async append(id, events) {
          if (events.some(({ kind }) => kind === held)) await until();
          const fifth = events.some(({ kind }) => kind === 'request.started') && ++sends === 5;
          if (fifth && held === 'model.chosen') void choose(id);
          return await store.append(id, events);
        },
      }),
    });
    expect(await end).toMatchObject({ outcome: 'done' });
    expectGoneOn(sessionId);
  },
);

test('a daemon that dies between a question and the answer that a choice is asks nothing again', async () => {
  let release = () => {};
  const { sessionId } = await storm({
    throughStore: (store) => ({
      ...store,
      async append(id, events) {
        const [first] = events;
        if (first?.kind === 'question.asked') await choose(id);
        if (first?.kind === 'question.answered' && events.length === 1) {
          await new Promise<void>((resolve) => {
            release = resolve;
          });
        }
        return await store.append(id, events);
      },
    }),
  });
  await eventually(() => asks(sessionId) === 1);
  expect(only(scene.events(sessionId), 'question.answered')).toEqual([]);
  await scene.restart(clock);
  expect(await scene.until(sessionId, 'turn.finished')).toMatchObject({ outcome: 'done' });
  release();
  expectGoneOn(sessionId);
});

test('the same model again is no answer', async () => {
  const { sessionId } = await storm();
  await isAsked(sessionId);
  await choose(sessionId, 'sim/sim');
  expect(scene.runner.pendingQuestions(sessionId)).toHaveLength(1);
});

function idOf(): SessionId {
  const [row] = scene.rows();
  if (row === undefined) throw new Error('there is no session');
  return row.sessionId;
}
