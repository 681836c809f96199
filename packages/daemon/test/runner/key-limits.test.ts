/** F-11: sessions that share a key share its limit. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import type { SessionId } from '@zerd/protocol/common/ids';
import { type ManualClock, manualClock } from '../../../../test/support/manual-clock.ts';
import { openScene, type Scene, type SceneWish } from './harness.ts';

let scene: Scene;
let clock: ManualClock;
async function open(wish: SceneWish): Promise<Scene> {
  clock = manualClock();
  scene = await openScene({ ...wish, clock });
  return scene;
}
afterEach(() => scene.close());

const waitOf = (sessionId: SessionId) => scene.runner.waits().find((wait) => wait.sessionId === sessionId);
const elsewhere = 'sim/sim to take requests again after provider_rate_limited in another session';

/** Looks again until it holds; jest's own limit ends a wait for what never comes. */
async function eventually(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

test('while one session is told to wait the others with its key wait too, in sight, and go when it opens', async () => {
  const { say, gateway } = await open({
    steps: [{ text: 'One.' }, { text: 'Two.' }],
    faults: [{ on: 1, fault: { kind: 'rate-limit', retryAfter: '60' } }],
  });
  const first = await say('Go');
  await eventually(() => waitOf(first.sessionId)?.for.startsWith('next attempt') === true);
  const second = await say('Go too');
  await eventually(() => waitOf(second.sessionId)?.for === elsewhere);
  const { sinceAt = 0, deadlineAt = 0 } = waitOf(second.sessionId) ?? {};
  expect(sinceAt).toBe(clock.wall());
  expect(deadlineAt - sinceAt).toBeGreaterThanOrEqual(60_000);
  expect(deadlineAt - sinceAt).toBeLessThan(76_000);
  clock.advance(59_999);
  expect(gateway.requests).toHaveLength(1);
  clock.advance(16_001);
  expect([await first.end, await second.end]).toMatchObject([{ outcome: 'done' }, { outcome: 'done' }]);
  expect(gateway.requests).toHaveLength(3);
  expect(scene.runner.waits()).toEqual([]);
});

test('an interrupt ends such a wait at once, and nothing was sent', async () => {
  const { say, runner, gateway } = await open({
    steps: [{ text: 'Never.' }],
    faults: [{ fault: { kind: 'rate-limit', retryAfter: '60' } }],
  });
  const first = await say('Go');
  await eventually(() => waitOf(first.sessionId)?.for.startsWith('next attempt') === true);
  const second = await say('Go too');
  await eventually(() => waitOf(second.sessionId)?.for === elsewhere);
  await runner.interrupt(second.sessionId);
  expect(await second.end).toMatchObject({ outcome: 'interrupted', failure: { message: 'interrupted by the user' } });
  expect(gateway.requests).toHaveLength(1);
  expect(scene.events(second.sessionId).map(({ event }) => event.kind)).not.toContain('request.started');
});

test('a key that is closed for an hour stops a turn in its course, but a new turn of a person asks once', async () => {
  const { say, gateway, root, until } = await open({
    steps: [
      { calls: [{ name: 'shell', input: { command: 'until [ -e go ]; do sleep 0.01; done' } }] },
      { text: 'Hi.' },
    ],
    faults: [{ on: 2, fault: { kind: 'rate-limit', retryAfter: '3600' } }],
  });
  const working = await say('Work');
  await until(working.sessionId, 'toolCall.started');
  const refused = { outcome: 'failed', failure: { code: 'provider_rate_limited' } };
  expect(await (await say('Hello')).end).toMatchObject(refused);
  writeFileSync(join(root, 'go'), '');
  const end = await working.end;
  expect(end).toMatchObject(refused);
  expect(end).toMatchObject({ failure: { message: expect.stringContaining('closed for 60 min more') } });
  expect(gateway.requests).toHaveLength(2);
  expect(await (await say('Hello again')).end).toMatchObject({ outcome: 'done' });
  expect(gateway.requests).toHaveLength(3);
});
