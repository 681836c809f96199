import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import type { Store } from '@zerd/daemon/base/ports';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { SessionEvent } from '@zerd/protocol/common/event';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import { openScene, type Scene } from './harness.ts';

let scene: Scene;
afterEach(() => scene.close());

const full = () => new ZerdError('disk_full', 'The disk is full. Free space, then continue.');
const broken = () => new ZerdError('store_failed', 'The disk answers with EIO. Mend it, then continue.');

/** A store that takes nothing from the first event of this kind on, until it is freed. `asked` settles at a refusal: of the end, or of any. */
function fillingAt(kind: SessionEvent['kind'], why: () => ZerdError, reserve: { left: boolean }) {
  let state: 'free' | 'full' | 'freed' = 'free';
  let tell = () => {};
  const asked = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const through = (store: Store): Store => ({
    ...store,
    releaseReserve() {
      const had = reserve.left;
      reserve.left = false;
      if (had) state = 'freed';
      return had;
    },
    async append(sessionId, events) {
      const kinds = events.map((event) => event.kind);
      if (state === 'free' && kinds.includes(kind)) state = 'full';
      if (state !== 'full') return store.append(sessionId, events);
      if (kinds.includes('turn.finished') || why !== broken) tell();
      throw why();
    },
  });
  const free = () => {
    state = 'freed';
  };
  return { through, asked, free };
}

async function open(kind: SessionEvent['kind'], why = full, reserve = { left: false }) {
  const clock = manualClock();
  const disk = fillingAt(kind, why, reserve);
  const steps = [{ calls: [{ name: 'shell', input: { command: 'echo x >> ran' } }] }, { text: 'Done.' }];
  scene = await openScene({ clock, steps, throughStore: disk.through });
  return { ...disk, clock };
}

const logRoom = () => `room on the disk: the session log in ${join(scene.folder, 'state')}`;

const kinds = [
  'request.started',
  'assistant.finished',
  'toolCall.started',
  'toolCall.finished',
  'turn.finished',
] as const;

for (const kind of kinds) {
  test(`F-37: a disk that is full at ${kind} pauses the turn in sight, and it goes on by itself when there is room`, async () => {
    const { asked, free, clock } = await open(kind);
    const { sessionId, end } = await scene.say('Go');
    await asked;
    await new Promise(setImmediate);
    expect(scene.runner.waits()).toMatchObject([{ for: logRoom(), sessionId, blocks: true }]);
    clock.advance(60_000);
    await new Promise(setImmediate);
    expect(scene.runner.waits().map(({ sinceAt }) => clock.wall() - sinceAt)).toEqual([60_000]);
    free();
    clock.advance(5_000);
    expect(await end).toMatchObject({ outcome: 'done' });
    await new Promise(setImmediate);
    expect(scene.runner.waits()).toEqual([]);
    const kindsNow = scene.events(sessionId).map(({ event }) => event.kind);
    expect(kindsNow.filter((name) => name.startsWith('toolCall'))).toEqual(['toolCall.started', 'toolCall.finished']);
    expect(readFileSync(join(scene.root, 'ran'), 'utf8')).toBe('x\n');
    expect(scene.gateway.requests).toHaveLength(2);
  });
}

const noFiles = () =>
  new ZerdError('store_failed', 'EMFILE: too many open files.', {
    cause: Object.assign(new Error(), { code: 'EMFILE' }),
  });

test('F-42: a daemon that may open no file more pauses the turn in sight, and it goes on when others are closed', async () => {
  const { asked, free, clock } = await open('toolCall.finished', noFiles);
  const { sessionId, end } = await scene.say('Go');
  await asked;
  await new Promise(setImmediate);
  const name = 'a file that may be opened, for the session log: too many are open';
  expect(scene.runner.waits()).toMatchObject([{ for: name, sessionId, blocks: true }]);
  free();
  clock.advance(5_000);
  expect(await end).toMatchObject({ outcome: 'done' });
});

test('F-37: what ends an interrupted turn is written into the room that was kept for it', async () => {
  const { asked } = await open('toolCall.finished', full, { left: true });
  const { sessionId, end } = await scene.say('Go');
  await asked;
  expect(await scene.runner.interrupt(sessionId)).toBe(true);
  expect(await end).toMatchObject({ outcome: 'interrupted' });
  expect(scene.events(sessionId).map(({ event }) => event.kind)).toContain('toolCall.finished');
});

test('F-37: a turn that found no room for a day ends with that reason, in the room that was kept for it', async () => {
  const { asked, clock } = await open('toolCall.finished', full, { left: true });
  const { sessionId, end } = await scene.say('Go');
  await asked;
  for (let hour = 0; hour < 25; hour++) {
    await new Promise(setImmediate);
    clock.advance(60 * 60_000);
  }
  expect(await end).toMatchObject({ outcome: 'failed', failure: { code: 'disk_full', message: full().message } });
  await new Promise(setImmediate);
  expect([scene.runner.waits(), scene.runner.runningTurns()]).toEqual([[], 0]);
  expect(scene.events(sessionId).filter(({ event }) => event.kind === 'toolCall.finished')).toHaveLength(1);
});

test('F-37: a prompt in the queue waits for room in sight, and begins by itself when there is some', async () => {
  const { free, clock } = await open('message.submitted');
  const { sessionId } = await scene.runner.createSession({ env: scene.env, mode: 'full', trust: true });
  await scene.runner.queue({ env: scene.env, sessionId, text: 'Go', trust: true });
  const name = `room on the disk: the next prompt in ${join(scene.folder, 'state')}`;
  expect(scene.runner.waits()).toMatchObject([{ for: name, sessionId }]);
  const { sinceAt } = scene.runner.waits()[0] ?? {};
  clock.advance(5_000);
  await new Promise(setImmediate);
  // The same wait, however often it is tried.
  expect(scene.runner.waits()).toMatchObject([{ for: name, sessionId, sinceAt }]);
  free();
  clock.advance(5_000);
  expect(await scene.until(sessionId, 'turn.finished')).toMatchObject({ outcome: 'done' });
  expect([scene.runner.waits(), scene.runner.queued(sessionId).prompts]).toEqual([[], []]);
});

for (const kind of kinds.slice(0, -1)) {
  test(`R-02: a store that fails at ${kind} holds the end of the turn back until it works, and is its reason`, async () => {
    const { asked, free, clock } = await open(kind, broken);
    const { sessionId, end } = await scene.say('Go');
    await asked;
    await new Promise(setImmediate);
    const name = 'a session log that takes it (see `zerd doctor`), to write the end of the turn';
    expect(scene.runner.waits()).toMatchObject([{ for: name, sessionId, blocks: true }]);
    free();
    clock.advance(2_000);
    expect(await end).toEqual({
      kind: 'turn.finished',
      turnId: expect.any(String),
      outcome: 'failed',
      failure: { code: 'store_failed', message: broken().message },
    });
    await new Promise(setImmediate);
    expect(scene.runner.waits()).toEqual([]);
    const counts = (name: string) => scene.events(sessionId).filter(({ event }) => event.kind.startsWith(name)).length;
    expect(counts('toolCall.finished')).toBe(kind.startsWith('toolCall') ? 1 : 0);
    expect(counts('request.started')).toBe(counts('request.failed') + counts('assistant.finished'));
    expect(await (await scene.say('Again', { sessionId })).end).toMatchObject({ kind: 'turn.finished' });
  });
}

test('F-37: an interrupt is answered while the end of a turn waits for room', async () => {
  const { asked, free } = await open('toolCall.finished');
  const { sessionId } = await scene.say('Go');
  await asked;
  await new Promise(setImmediate);
  expect(await scene.runner.interrupt(sessionId)).toBe(true);
  expect(scene.runner.runningTurns()).toBe(0);
  free();
  await scene.runner.startTurn({ env: scene.env, text: 'Again', trust: true, sessionId });
  const ends = scene.events(sessionId).flatMap(({ event }) => (event.kind === 'turn.finished' ? [event.outcome] : []));
  expect(ends[0]).toBe('interrupted');
});
