import { afterEach, expect, test } from '@jest/globals';
import type { Store } from '@zerd/daemon/base/ports';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { SessionEvent } from '@zerd/protocol/common/event';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import { openScene, type Scene } from './harness.ts';

let scene: Scene;
afterEach(() => scene.close());

const full = () => new ZerdError('store_failed', 'The disk is full. Free space, then continue.');

/** A store that takes nothing from the first event of this kind on, until it is freed. `asked` settles at a refused end. */
function fillingAt(kind: SessionEvent['kind']) {
  let state: 'free' | 'full' | 'freed' = 'free';
  let tell = () => {};
  const asked = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const through = (store: Store): Store => ({
    ...store,
    async append(sessionId, events) {
      const kinds = events.map((event) => event.kind);
      if (state === 'free' && kinds.includes(kind)) state = 'full';
      if (state !== 'full') return store.append(sessionId, events);
      if (kinds.includes('turn.finished')) tell();
      throw full();
    },
  });
  const free = () => {
    state = 'freed';
  };
  return { through, asked, free };
}

async function open(kind: SessionEvent['kind']) {
  const clock = manualClock();
  const disk = fillingAt(kind);
  const steps = [{ calls: [{ name: 'shell', input: { command: 'echo x' } }] }];
  scene = await openScene({ clock, steps, throughStore: disk.through });
  return { ...disk, clock };
}

for (const kind of ['request.started', 'assistant.finished', 'toolCall.started', 'toolCall.finished'] as const) {
  test(`F-37: a disk that is full at ${kind} holds the end of the turn back until there is room, and is its reason`, async () => {
    const { asked, free, clock } = await open(kind);
    const { sessionId, end } = await scene.say('Go');
    await asked;
    await new Promise(setImmediate);
    expect(scene.runner.waits()).toMatchObject([{ for: 'room to write the end of the turn', sessionId }]);
    free();
    clock.advance(2_000);
    expect(await end).toEqual({
      kind: 'turn.finished',
      turnId: expect.any(String),
      outcome: 'failed',
      failure: { code: 'store_failed', message: full().message },
    });
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
