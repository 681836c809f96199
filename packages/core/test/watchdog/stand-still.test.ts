import { expect, test } from '@jest/globals';
import { lostMs, type Pause, pauseBetween, type Sample, toleranceMs } from '@zerd/core/watchdog/stand-still';
import fc from 'fast-check';

const before: Sample = { now: 5_000, wall: 1_000_000, busy: 40 };
const day = 86_400_000;

function check(passed: Partial<Sample>, expected: Pause): void {
  const { now = 1_000, wall = now, busy = 1 } = passed;
  const sample = { now: before.now + now, wall: before.wall + wall, busy: before.busy + busy };
  expect(pauseBetween(before, sample, 1_000)).toEqual(expected);
}

test('a look that comes when it is due, or a little later, is idleness', () => {
  check({}, { kind: 'none' });
  check({ now: 1_000 + toleranceMs }, { kind: 'none' });
});

test('F-14: a process that was stopped for 11 minutes has lost them, and did nothing meanwhile', () => {
  check({ now: 661_000, busy: 5 }, { kind: 'stopped', ms: 660_000 });
});

test('F-34, F-28: an event loop that worked all the while was blocked', () => {
  check({ now: 31_000, busy: 30_000 }, { kind: 'blocked', ms: 30_000 });
});

test('F-15: a change of the time of day is neither, and costs no time', () => {
  check({ wall: day + 1_000 }, { kind: 'slept', ms: day });
  check({ wall: 1_000 - day }, { kind: 'setBack', ms: day });
  expect([lostMs({ kind: 'slept', ms: day }), lostMs({ kind: 'setBack', ms: day })]).toEqual([0, 0]);
});

test('F-14: for any samples, what is lost is what passed beyond the expected, or nothing', () => {
  const ms = fc.integer({ min: 0, max: 10 * day });
  fc.assert(
    fc.property(ms, fc.integer({ min: -day, max: day }), ms, (passed, wall, busy) => {
      const sample = { now: before.now + passed, wall: before.wall + wall, busy: before.busy + busy };
      const late = passed - 1_000;
      expect(lostMs(pauseBetween(before, sample, 1_000))).toBe(late > toleranceMs ? late : 0);
    }),
  );
});
