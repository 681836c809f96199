/** F-15, F-17: what the runner decides by time it decides by the clock that only grows; the time of day is for records. */
import { afterEach, expect, test } from '@jest/globals';
import type { SessionId } from '@zerd/protocol/common/ids';
import fc from 'fast-check';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import { createWaits } from '../../src/base/waits.ts';
import { newId, startIdsAfter } from '../../src/runner/new-id.ts';
import { openScene, type Scene } from './harness.ts';

const day = 86_400_000;
const sessionId = 'ses_1' as SessionId;

test('F-15: ids stay ordered however the time of day is changed, and go on above those of the log', () => {
  const jumps = fc.array(fc.integer({ min: -2 * day, max: 2 * day }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(jumps, (all) => {
      const clock = manualClock();
      const ids = all.map((jump) => {
        clock.jumpWall(jump);
        return newId('ses', clock);
      });
      const restarted = manualClock(0);
      startIdsAfter(restarted, ids.at(-1) ?? '', clock.wall());
      ids.push(newId('ses', restarted));
      expect(ids).toEqual(ids.toSorted());
      expect(new Set(ids).size).toBe(ids.length);
    }),
  );
});

test('F-17: how long is waited is counted from the wait itself, not from the start of the daemon or the time of day', () => {
  const clock = manualClock();
  const waits = createWaits(clock);
  clock.advance(206 * 3_600_000);
  waits.begin('first event', sessionId, clock.now() + 60_000);
  const check = (elapsed: number) =>
    expect(waits.list().map(({ sinceAt, deadlineAt = 0 }) => [clock.wall() - sinceAt, deadlineAt - sinceAt])).toEqual([
      [elapsed, 60_000],
    ]);
  check(0);
  clock.advance(2_000);
  check(2_000);
  clock.jumpWall(day);
  check(2_000);
  clock.jumpWall(-3 * day);
  check(2_000);
});

let scene: Scene;
afterEach(() => scene?.close());

test.each([['forward', 3 * day] as const, ['back', -3 * day] as const])(
  'F-15: when the time of day goes days %s, no question expires, no answer times out, and the newest session is the newest',
  async (_, jump) => {
    const clock = manualClock();
    scene = await openScene({
      clock,
      files: { 'a.txt': 'one\n' },
      steps: [{ calls: [{ name: 'shell', input: { command: 'touch done' } }] }, { text: 'Done.' }, { text: 'Again.' }],
    });
    const { runner, say, until, env, events, restart } = scene;
    const first = (await runner.createSession({ env, trust: true })).sessionId;
    const { end } = await say('Go', { sessionId: first });
    const { approvalId, digest } = await until(first, 'approval.requested');
    clock.jumpWall(jump);
    expect(runner.pendingApprovals(first)).toHaveLength(1);
    await runner.answer({ sessionId: first, approvalId, digest, decision: 'granted' });
    expect(await end).toMatchObject({ outcome: 'done' });
    expect(events(first).map(({ seq }) => seq)).toEqual(events(first).map((__, index) => index + 1));
    await restart(manualClock(clock.wall() - 2 * day));
    const second = (await scene.say('Once more')).sessionId;
    expect(second > first).toBe(true);
    expect(await until(second, 'turn.finished')).toMatchObject({ outcome: 'done' });
    expect(events(second).at(-1)?.event).toMatchObject({ outcome: 'done' });
  },
);
