/** While the user is asked whether a budget may be raised, there comes to be room in it: that is the answer. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Step } from '@zerd/simulator/players/player';
import { type ManualClock, manualClock } from '../../../../test/support/manual-clock.ts';
import { eventually, only } from './compaction-scene.ts';
import { openScene, type Scene, type SceneWish } from './harness.ts';

let scene: Scene;
let clock: ManualClock;
let driving: NodeJS.Timeout;
afterEach(close);

async function close(): Promise<void> {
  clearInterval(driving);
  await scene.close();
}

const read: Step = { calls: [{ name: 'read', input: { path: 'a.ts' } }] };
const usd = (dollars: number) => ({ pico: dollars * 1e12 });
const events = <K extends Parameters<typeof only>[1]>(id: SessionId, kind: K) => only(scene.events(id), kind);
const isAsked = () => scene.runner.waits().some((wait) => wait.for === 'your word whether to spend more');

/** Costs more than $0.008 and less than $0.2. */
const steps: readonly Step[] = [...Array.from({ length: 25 }, () => read), { text: 'Done.' }, { text: 'Done.' }];

async function open(wish: SceneWish = {}): Promise<void> {
  clock = manualClock();
  scene = await openScene({ files: { 'a.ts': 'export const a = 1;\n' }, steps, clock, ...wish });
  driving = setInterval(() => clock.advance(5), 2);
}

async function asked(more: Parameters<Scene['say']>[1] = { maxCostUsd: 0.008 }, wish: SceneWish = {}) {
  await open(wish);
  const { sessionId, end } = await scene.say('Go', more);
  await eventually(isAsked);
  return { sessionId, end };
}

const queue = (sessionId: SessionId, more: { maxCostUsd?: number; maxTokens?: number }) =>
  scene.runner.queue({ env: scene.env, sessionId, text: 'And on', trust: true, ...more });

/** One question, settled without an answer, and the turn done. */
function expectSettled(sessionId: SessionId): void {
  expect(events(sessionId, 'question.asked')).toHaveLength(1);
  expect(events(sessionId, 'question.answered')).toEqual([
    expect.objectContaining({ reason: 'there is room in the budget by now' }),
  ]);
  expect(events(sessionId, 'question.answered')[0]).not.toHaveProperty('answer');
  expect(events(sessionId, 'turn.finished')[0]).toMatchObject({ outcome: 'done' });
}

test('a larger limit that comes with a waiting prompt settles the question at once, in one commit with the prompt', async () => {
  const commits: (readonly string[])[] = [];
  const { sessionId } = await asked(undefined, {
    throughStore: (store) => ({
      ...store,
      append(id, added) {
        commits.push(added.map(({ kind }) => kind));
        return store.append(id, added);
      },
    }),
  });
  await queue(sessionId, { maxCostUsd: 0.2 });
  await eventually(() => events(sessionId, 'turn.finished').length === 2);
  expectSettled(sessionId);
  expect(commits).toContainEqual(['prompt.queued', 'budget.raised']);
  expect(events(sessionId, 'budget.raised')).toMatchObject([{ scope: 'session', by: usd(0.192) }]);
  expect(scene.runner.readBudgets(sessionId)).toMatchObject([{ limit: usd(0.2) }]);
});

test.each([
  ['is smaller', { maxCostUsd: 0.005 }],
  ['is in another measure', { maxTokens: 1_000_000 }],
  ['is none', {}],
])('a waiting prompt whose limit %s leaves the question open', async (_, more) => {
  const { sessionId } = await asked();
  await queue(sessionId, more);
  expect(scene.runner.pendingQuestions(sessionId)).toMatchObject([{ about: 'budget' }]);
  expect(events(sessionId, 'budget.raised')).toEqual([]);
});

test('the limit of a prompt that waited before it was asked holds from its own turn on, and settles nothing', async () => {
  let letGo = () => {};
  const begins = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await open({ steps: [{ ...read, begins }, ...steps] });
  const { sessionId } = await scene.say('Go', { maxCostUsd: 0.008 });
  await queue(sessionId, { maxCostUsd: 0.2 });
  letGo();
  await eventually(isAsked);
  expect(events(sessionId, 'budget.raised')).toEqual([]);
});

test('a daemon that dies right behind the larger limit asks nothing again', async () => {
  let dead = false;
  const { sessionId } = await asked(undefined, {
    throughStore: (store) => ({
      ...store,
      async append(id, added) {
        if (dead || added.every(({ kind }) => kind !== 'question.answered')) return await store.append(id, added);
        dead = true;
        throw new Error('the daemon dies here');
      },
    }),
  });
  await queue(sessionId, { maxCostUsd: 0.2 });
  await eventually(() => dead);
  await scene.restart(clock);
  await eventually(() => events(sessionId, 'turn.finished').length === 1);
  expectSettled(sessionId);
});

test('settings that allow more settle it within a minute, and so does another day', async () => {
  const budgets = (dollars: number) => ({ budgets: { day: { usd: dollars } } });
  const { sessionId, end } = await asked({}, { config: budgets(0.008) });
  const file = join(scene.folder, 'config.json');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...budgets(0.2) }));
  clock.advance(60_000);
  await end;
  expectSettled(sessionId);
  await close();

  const next = await asked({}, { config: budgets(0.008) });
  clock.jumpWall(25 * 3_600_000);
  clock.advance(60_000);
  await eventually(() => events(next.sessionId, 'question.answered').length === 1);
  expect(events(next.sessionId, 'question.answered')).toMatchObject([{ reason: 'there is room in the budget by now' }]);
});

test('what is raised for one session settles what another that spends of it is asked', async () => {
  const { sessionId } = await asked({}, { config: { budgets: { day: { usd: 0.008 } } } });
  const [{ turnId } = { turnId: '' as never }] = events(sessionId, 'turn.started');
  const other = await scene.runner.createSession({ env: scene.env, mode: 'full', trust: true });
  await scene.store.append(other.sessionId, [{ kind: 'budget.raised', scope: 'day', by: usd(0.2) }]);
  await eventually(() => events(sessionId, 'turn.finished').length === 1);
  expectSettled(sessionId);
  expect(turnId).toBe(events(sessionId, 'turn.finished')[0]?.turnId);
});

test('F-15: a no holds for the turns that had begun, and not for a later one, however the time of day was set back', async () => {
  const { sessionId, end } = await asked({}, { config: { budgets: { day: { usd: 0.008 } } } });
  const answer = (id: SessionId) => {
    const [{ questionId } = { questionId: '' as never }] = scene.runner.pendingQuestions(id);
    return scene.runner.answerQuestion({ sessionId: id, questionId, answer: 'Stop' });
  };
  await answer(sessionId);
  await end;
  clock.jumpWall(-3_600_000);
  await scene.say('Once more', { sessionId });
  await eventually(() => events(sessionId, 'question.asked').length === 2);
  await answer(sessionId);
  await eventually(() => events(sessionId, 'turn.finished').length === 2);
});
