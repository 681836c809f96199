import { afterEach, expect, test } from '@jest/globals';
import type { Pause } from '@zerd/core/watchdog/stand-still';
import fc from 'fast-check';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import { awakeClock } from '../../src/watchdog/awake-clock.ts';
import { openScene, type Scene } from '../runner/harness.ts';

let scene: Scene | undefined;
afterEach(async () => {
  await scene?.close();
  scene = undefined;
});

function awake() {
  const base = manualClock();
  let busy = 0;
  const clock = awakeClock(base, () => busy);
  const pauses: Pause[] = [];
  clock.onPause((pause) => void pauses.push(pause));
  const block = (ms: number) => {
    busy += ms;
    base.stall(ms);
  };
  return { base, clock, pauses, block };
}

test('F-14: a process that stood still for 11 minutes gives whoever it waits for the time that was left', () => {
  const { base, clock, pauses } = awake();
  let fired = 0;
  clock.setTimer(90_000, () => {
    fired += 1;
  });
  base.advance(30_000);
  base.stall(660_000);
  expect([fired, Math.round(clock.now() / 1_000)]).toEqual([0, 31]);
  base.advance(58_000);
  expect(fired).toBe(0);
  base.advance(1_001);
  expect([fired, pauses]).toEqual([1, [{ kind: 'stopped', ms: 659_000 }]]);
});

test('F-28, F-34: a blocked event loop costs nobody its time, and is named as what it was', () => {
  const { base, clock, pauses, block } = awake();
  let fired = false;
  clock.setTimer(20_000, () => {
    fired = true;
  });
  block(30_000);
  expect([fired, pauses]).toEqual([false, [{ kind: 'blocked', ms: 29_000 }]]);
  base.advance(19_001);
  expect(fired).toBe(true);
});

test('F-15: the time of day may go anywhere: no timer moves', () => {
  const { base, clock, pauses } = awake();
  let fired = false;
  clock.setTimer(10_000, () => {
    fired = true;
  });
  base.jumpWall(86_400_000);
  base.advance(5_000);
  base.jumpWall(-2 * 86_400_000);
  base.advance(4_999);
  expect(fired).toBe(false);
  base.advance(1);
  expect([fired, pauses.map(({ kind }) => kind)]).toEqual([true, ['slept', 'setBack']]);
});

test('R-09: while nobody waits it sets no timer, and the time of rest is no pause for who waits next', () => {
  const { base, clock, pauses } = awake();
  expect(base.timers()).toBe(0);
  clock.setTimer(5_000, () => {});
  clock.setTimer(90_000, () => {})[Symbol.dispose]();
  base.advance(6_000);
  expect(base.timers()).toBe(0);
  base.stall(3_600_000);
  const rested = clock.now();
  let fired = false;
  clock.setTimer(10_000, () => {
    fired = true;
  });
  base.advance(9_999);
  expect([rested, fired]).toEqual([3_606_000, false]);
  base.stall(60_000);
  base.advance(1_000);
  expect([fired, pauses]).toEqual([true, [{ kind: 'stopped', ms: expect.any(Number) }]]);
});

test('F-28, R-09: who beats anyway sees what delayed a beat while nobody waited, and wakes nobody for it', () => {
  const { base, clock, pauses, block } = awake();
  const beat = () => {
    clock.beat(15_000);
    base.setTimer(15_000, beat);
  };
  beat();
  base.advance(30_000);
  expect([pauses, base.timers()]).toEqual([[], 1]);
  block(21_000);
  base.advance(40_000);
  base.stall(100_000);
  base.advance(30_000);
  base.jumpWall(7_200_000);
  base.advance(30_000);
  expect(pauses).toEqual([
    { kind: 'blocked', ms: 6_000 },
    { kind: 'stopped', ms: 95_000 },
    { kind: 'slept', ms: 7_200_000 },
  ]);
});

test('F-28: what a look has told a beat does not tell again', () => {
  const { base, clock, pauses, block } = awake();
  const beat = () => {
    clock.beat(15_000);
    base.setTimer(15_000, beat);
  };
  beat();
  clock.setTimer(300_000, () => {});
  base.advance(20_000);
  block(40_000);
  base.jumpWall(-86_400_000);
  base.advance(120_000);
  expect(pauses).toEqual([
    { kind: 'blocked', ms: 39_000 },
    { kind: 'setBack', ms: 86_400_000 },
  ]);
});

test('F-28: a deadline that is set anew at each event loses nothing to a pause between the two', () => {
  const { base, clock, block } = awake();
  const due = clock.now() + 20_000;
  clock.setTimer(20_000, () => {})[Symbol.dispose]();
  block(30_000);
  let fired = false;
  clock.setTimer(due - clock.now(), () => {
    fired = true;
  });
  base.advance(18_000);
  expect(fired).toBe(false);
  base.advance(2_000);
  expect(fired).toBe(true);
});

test('F-14: it never goes back and no timer fires early, whatever the pauses', () => {
  const moves = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 8_000 })), { maxLength: 30 });
  fc.assert(
    fc.property(moves, fc.integer({ min: 1, max: 20_000 }), (all, after) => {
      const { base, clock } = awake();
      const begun = clock.now();
      let at: number | undefined;
      clock.setTimer(after, () => {
        at = clock.now();
      });
      let before = begun;
      for (const [stalls, ms] of all) {
        if (stalls) base.stall(ms);
        else base.advance(ms);
        expect(clock.now()).toBeGreaterThanOrEqual(before);
        before = clock.now();
      }
      if (at === undefined) expect(before - begun).toBeLessThan(after + 1);
      else expect(at - begun).toBeGreaterThan(after - 1);
    }),
  );
});

test('F-14: a turn whose daemon was stopped in the middle of an answer loses none of its time and is not blamed', async () => {
  const base = manualClock();
  const clock = awakeClock(base, () => 0);
  const faults = [{ on: 1, fault: { kind: 'silence', after: 'output' } as const }];
  scene = await openScene({ clock, steps: [{ text: 'Done.' }], faults });
  const { events, runner } = scene;
  const { sessionId, end } = await scene.say('Go');
  const waits = () => runner.waits().map((wait) => wait.for);
  while (!waits().includes('next event from sim/sim')) await new Promise(setImmediate);
  const failed = () => events(sessionId).filter(({ event }) => event.kind === 'request.failed').length;
  base.stall(660_000);
  await new Promise(setImmediate);
  expect([failed(), waits()]).toEqual([0, ['next event from sim/sim']]);
  const driving = setInterval(() => base.advance(1_000), 2);
  expect(await end).toMatchObject({ outcome: 'done' });
  clearInterval(driving);
  expect(failed()).toBe(1);
  clock[Symbol.dispose]();
});
