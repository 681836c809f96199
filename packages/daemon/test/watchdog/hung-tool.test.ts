import { afterEach, expect, test } from '@jest/globals';
import type { Store } from '@zerd/daemon/base/ports';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import { openScene, type Scene } from '../runner/harness.ts';

let scene: Scene;
afterEach(() => scene.close());

/** A store whose archive never says where a body is: `recall` hangs. */
function hanging(asked: () => void): (store: Store) => Store {
  return (store) => ({
    ...store,
    archive: {
      ...store.archive,
      locate: () => {
        asked();
        return new Promise(() => {});
      },
    },
  });
}

test('a tool that hangs is shown with its deadline, given up after 15 minutes in one event, and the turn goes on', async () => {
  const clock = manualClock();
  let tell = () => {};
  const asked = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const steps = [{ calls: [{ name: 'recall', input: { id: '0'.repeat(12) } }] }, { text: 'Done.' }];
  scene = await openScene({ clock, steps, throughStore: hanging(() => tell()) });
  const { sessionId, end } = await scene.say('Go');
  await asked;
  const [wait] = scene.runner.waits();
  expect([wait?.for, (wait?.deadlineAt ?? 0) - (wait?.sinceAt ?? 0)]).toEqual(['tool recall', 900_000]);
  clock.advance(899_999);
  expect(scene.runner.waits()).toHaveLength(1);
  clock.advance(1);
  expect(await end).toMatchObject({ outcome: 'done' });
  const results = scene.events(sessionId).flatMap(({ event }) => (event.kind === 'toolCall.finished' ? [event] : []));
  expect(results).toMatchObject([{ outcome: 'failed', shown: expect.stringContaining('made no progress for 15 min') }]);
  expect(scene.events(sessionId).filter(({ event }) => event.kind === 'wait.expired')).toEqual([]);
  expect(scene.runner.waits()).toEqual([]);
});

test('how long a tool may hang is a setting', async () => {
  const clock = manualClock();
  let tell = () => {};
  const asked = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const steps = [{ calls: [{ name: 'recall', input: { id: '0'.repeat(12) } }] }, { text: 'Done.' }];
  const config = { deadlines: { toolMs: 5_000 } };
  scene = await openScene({ clock, steps, config, throughStore: hanging(() => tell()) });
  const { end } = await scene.say('Go');
  await asked;
  clock.advance(5_000);
  expect(await end).toMatchObject({ outcome: 'done' });
});

test.each([
  ['given up', 5_000],
  ['interrupted', 700],
])('of an edit that hangs and is %s it is not known whether it came to be, and going back says so', async (how, ms) => {
  const clock = manualClock();
  let [tell, release] = [() => {}, () => {}];
  const asked = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const held = Buffer.from('one\n');
  scene = await openScene({
    clock,
    steps: [{ calls: [{ name: 'edit', input: { path: 'a.txt', old: 'one', new: 'two' } }] }, { text: 'Done.' }],
    config: { deadlines: { toolMs: 5_000 } },
    files: { 'a.txt': 'one\n' },
    throughStore: (store) => ({
      ...store,
      archive: {
        ...store.archive,
        put(body) {
          if (!held.equals(Buffer.from(body))) return store.archive.put(body);
          tell();
          return new Promise((_, reject) => {
            release = () => reject(new Error('It hung.'));
          });
        },
      },
    }),
  });
  const { sessionId, end } = await scene.say('Go');
  await asked;
  if (how === 'interrupted') void scene.runner.interrupt(sessionId);
  clock.advance(ms);
  await end;
  const results = scene.events(sessionId).flatMap(({ event }) => (event.kind === 'toolCall.finished' ? [event] : []));
  expect(results).toMatchObject([{ outcome: 'unknown', shown: expect.stringContaining('may have had an effect') }]);
  // Whoever changes a file waits for whoever changes it.
  release();
  const { files } = await scene.runner.rewind({ sessionId, preview: true });
  expect(files).toEqual([{ path: 'a.txt', outcome: 'unknown' }]);
});
