import { afterEach, expect, test } from '@jest/globals';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import { type ManualClock, manualClock } from '../../../../test/support/manual-clock.ts';
import { openScene, type Scene, type SceneWish } from './harness.ts';

let scene: Scene;
let clock: ManualClock;
let driving: NodeJS.Timeout | undefined;

const minute = 60_000;
const words = Array.from({ length: 900 }, (_, i) => `word${i}\n`).join('');
/** Dear enough that a small prompt is worth keeping. */
const price = { input: 1_000, output: 5_000, cacheRead: 100, cacheWrite: 1_250 };
const read = { calls: [{ name: 'read', input: { path: 'big.txt' } }] };
const done = { text: 'Done.' };

async function open(wish: SceneWish): Promise<Scene> {
  clock = manualClock();
  const context = { keepWarm: true };
  const files = { 'big.txt': words };
  scene = await openScene({ files, price, cacheTtlMs: 5 * minute, config: { context }, ...wish, clock });
  // What is under way gets its moments; pauses are made by `pass`.
  driving = setInterval(() => clock.advance(5), 2);
  return scene;
}
afterEach(async () => {
  clearInterval(driving);
  await scene.close();
});

type EventOf<K extends SessionEvent['kind']> = Extract<SessionEvent, { kind: K }>;
const all = <K extends SessionEvent['kind']>(sessionId: SessionId, kind: K) =>
  scene.events(sessionId).flatMap(({ event }) => (event.kind === kind ? [event as EventOf<K>] : []));
const warmings = (sessionId: SessionId) =>
  all(sessionId, 'request.started').filter(({ purpose }) => purpose === 'keepWarm');
const waits = () => scene.runner.waits().map((wait) => wait.for);

async function eventually(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2));
}

const waiting = () => waits().some((wait) => wait.startsWith('the time to keep the prompt warm'));
const answered = (sessionId: SessionId) =>
  all(sessionId, 'assistant.finished').length + all(sessionId, 'request.failed').length;

/** Lets the time come at which the prompt is kept warm, and settles when that is done. */
async function passOne(sessionId: SessionId): Promise<void> {
  await eventually(waiting);
  // Counted now: what the turn itself still waited for may have been answered meanwhile.
  const before = answered(sessionId);
  while (waiting()) {
    clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await eventually(() => answered(sessionId) > before);
}

test('a prompt is kept warm three times, each in the ledger, and then no more; the next turn reads it', async () => {
  const { say, gateway } = await open({ steps: [read, done, done, done, done, { text: 'Back.' }] });
  const { sessionId, end } = await say('Go');
  await end;
  await eventually(waiting);
  expect(waits()).toEqual([expect.stringMatching(/^the time to keep the prompt warm at sim\/sim: \$0\.\d+ now, \$\d/)]);
  for (let i = 0; i < 3; i += 1) await passOne(sessionId);
  await eventually(() => scene.runner.waits().length === 0);
  expect(warmings(sessionId)).toHaveLength(3);
  const [, second, ...warm] = gateway.requests;
  expect(warm.map(({ cache }) => [cache?.read, cache?.write])).toEqual(warm.map(() => [second?.tokens.total, 0]));
  expect(warm.map(({ body }) => body)).toEqual(warm.map(() => ({ ...second?.body, max_tokens: 1 })));
  const answers = all(sessionId, 'assistant.finished').slice(2);
  expect(answers.map(({ content, costPico }) => [content, (costPico ?? 0) > 0])).toEqual(warm.map(() => [[], true]));
  clock.advance(3 * minute);
  await say('More', { sessionId });
  await eventually(() => all(sessionId, 'turn.finished').length === 2);
  expect(gateway.requests.at(-1)?.cache?.read).toBe(second?.tokens.total);
  expect(gateway.requests.at(-1)?.bodyText).not.toContain('"max_tokens":1,');
});

test.each([-60, 24 * 60])(
  'F-15: it is kept warm in time also when the time of day is set by %d minutes meanwhile',
  async (minutes) => {
    const { say } = await open({ steps: [read, done, done] });
    const { sessionId, end } = await say('Go');
    await end;
    await eventually(waiting);
    const began = clock.now();
    clock.jumpWall(minutes * minute);
    await passOne(sessionId);
    expect(warmings(sessionId)).toHaveLength(1);
    expect(clock.now() - began).toBeLessThan(5 * minute);
  },
);

test('a new turn ends it at once: nothing of it is in flight or waited for any more', async () => {
  const { say } = await open({ steps: [read, done, { text: 'Back.' }, done] });
  const { sessionId, end } = await say('Go');
  await end;
  await eventually(waiting);
  clock.advance(2 * minute);
  await say('More', { sessionId });
  expect(waiting()).toBe(false);
  await eventually(() => all(sessionId, 'turn.finished').length === 2);
  expect(warmings(sessionId)).toEqual([]);
});

test('one that is in flight when the user comes back is cut, and the log says so', async () => {
  const { say } = await open({
    steps: [read, done, done],
    faults: [{ on: 3, fault: { kind: 'silence', after: 'first-event' } }],
  });
  const { sessionId, end } = await say('Go');
  await end;
  await eventually(waiting);
  while (waiting()) {
    clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await scene.gateway.received(3);
  await say('More', { sessionId });
  await eventually(() => all(sessionId, 'turn.finished').length === 2);
  expect(all(sessionId, 'request.failed').map(({ failure }) => failure.code)).toEqual(['interrupted']);
  const kinds = scene.events(sessionId).map(({ event }) => event.kind);
  expect(kinds.indexOf('request.failed')).toBeLessThan(kinds.lastIndexOf('turn.started'));
});

test('while a command runs the prompt is kept warm too, and the request behind it reads all of it', async () => {
  const { say, gateway } = await open({
    // It stays in the turn: as a job it would let the turn go on, at 15 seconds of this clock, in a race with the warming.
    config: { context: { keepWarm: true }, jobs: { afterMs: 60 * minute } },
    steps: [
      read,
      { calls: [{ name: 'shell', input: { command: 'while [ ! -e go ]; do sleep 0.02; done' } }] },
      done,
      done,
    ],
  });
  const { sessionId, end } = await say('Go');
  // While the file is read there is a moment to keep warm as well, and it is gone before its time.
  await eventually(() => all(sessionId, 'assistant.finished').length === 2);
  await passOne(sessionId);
  clock.advance(4 * minute);
  const { writeFileSync } = await import('node:fs');
  writeFileSync(`${scene.root}/go`, '');
  expect(await end).toMatchObject({ outcome: 'done' });
  expect(warmings(sessionId)).toHaveLength(1);
  expect(gateway.requests.at(-1)?.cache?.read).toBe(gateway.requests[1]?.tokens.total);
});

test.each<[string, SceneWish, object]>([
  ['it is off, as it is by default', { config: {} }, {}],
  ['nobody watches', {}, { headless: true }],
  ['the prompt is too cheap to keep', { price: { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 } }, {}],
  [
    'the provider has no cache to keep',
    { price: { input: 1_000, output: 5, cacheRead: 1_000, cacheWrite: 1_000 } },
    {},
  ],
  ['the turn failed', { faults: [{ on: 2, fault: { kind: 'bad-key' } }] }, {}],
])('nothing is kept warm when %s', async (_name, wish, more) => {
  const { say } = await open({ steps: [read, done], ...wish });
  const { sessionId, end } = await say('Go', more);
  await end;
  for (let i = 0; i < 20; i += 1) {
    clock.advance(minute);
    await new Promise((resolve) => setImmediate(resolve));
    expect(waits()).toEqual([]);
  }
  expect(warmings(sessionId)).toEqual([]);
});

test('one that fails is not tried again, and a stopping daemon ends all', async () => {
  const { say, runner } = await open({
    steps: [read, done, done],
    faults: [{ on: 3, fault: { kind: 'overloaded' } }],
  });
  const { sessionId, end } = await say('Go');
  await end;
  await passOne(sessionId);
  await eventually(() => scene.runner.waits().length === 0);
  expect([warmings(sessionId).length, all(sessionId, 'request.failed').length]).toEqual([1, 1]);
  await say('More', { sessionId });
  await eventually(() => all(sessionId, 'turn.finished').length === 2);
  await eventually(waiting);
  await runner.stop();
  expect(scene.runner.waits()).toEqual([]);
});
