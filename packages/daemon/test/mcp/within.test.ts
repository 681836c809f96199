import { expect, test } from '@jest/globals';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import { type Outcome, within } from '../../src/mcp/within.ts';

const forever = () => new Promise<never>(() => {});
const limits = { ms: 10, totalMs: 25 };

test('what runs has its time, more with progress, and no timer is left whatever ends it', async () => {
  const stop = new AbortController();
  const check = async (
    task: (progress: () => void) => Promise<string>,
    act: (clock: ReturnType<typeof manualClock>) => void,
    expected: Outcome<string>,
    signal = new AbortController().signal,
  ) => {
    const clock = manualClock();
    let own: AbortSignal | undefined;
    const outcome = within(clock, { ...limits, signal }, (given, progress) => {
      own = given;
      return task(progress);
    });
    act(clock);
    expect(await outcome).toEqual(expected);
    expect([clock.timers(), own?.aborted ?? true]).toEqual([0, expected.kind !== 'done']);
  };
  const error = new Error('no');
  await check(
    async () => 'yes',
    () => {},
    { kind: 'done', value: 'yes' },
  );
  await check(
    () => Promise.reject(error),
    () => {},
    { kind: 'failed', error },
  );
  await check(
    () => {
      throw error;
    },
    () => {},
    { kind: 'failed', error },
  );
  await check(forever, (clock) => clock.advance(10), { kind: 'overdue', ms: 10 });
  await check(forever, () => stop.abort(), { kind: 'interrupted' }, stop.signal);
  await check(forever, () => {}, { kind: 'interrupted' }, AbortSignal.abort());
  let goOn = () => {};
  const steps = (progress: () => void) => {
    goOn = progress;
    return forever();
  };
  const busy = (clock: ReturnType<typeof manualClock>) => {
    for (let step = 0; step < 3; step += 1) {
      clock.advance(9);
      goOn();
    }
  };
  await check(steps, busy, { kind: 'overdue', ms: 25 });
});
