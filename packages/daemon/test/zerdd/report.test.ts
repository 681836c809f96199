import { expect, test } from '@jest/globals';
import { methods } from '@zerd/protocol/common/methods';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import { daemonHandlers } from '../../src/server/handlers/daemon.ts';
import { listLine, statusLines } from '../../src/zerdd/report.ts';
import { fakeHouse } from '../server/fake-house.ts';

test('F-15, F-17: how long a daemon runs does not follow the time of day', async () => {
  const clock = manualClock();
  const house = { ...fakeHouse(), clock, startedAt: Math.round(clock.wall()) };
  const handlers = daemonHandlers(house, () => 2);
  clock.advance(90_000);
  for (const ms of [5 * 3_600_000, -9 * 3_600_000]) {
    clock.jumpWall(ms);
    const said = await handlers['daemon/status']({}, undefined as never);
    const status = methods['daemon/status'].result.parse(said);
    expect(status.upMs).toBe(90_000);
    expect(statusLines(status, clock.wall())[1]).toContain(', up 90 s, ');
    expect(listLine(status, clock.wall())).toMatch(/, up 90 s, 1 client, 0 turns$/);
    const { upMs: _, ...older } = status;
    expect(listLine({ ...older, startedAt: clock.wall() - 7_000 }, clock.wall())).toContain(', up 7 s, ');
  }
});
