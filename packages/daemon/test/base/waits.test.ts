import { expect, test } from '@jest/globals';
import { waitForRoom } from '@zerd/daemon/base/full-disk';
import { createWaits } from '@zerd/daemon/base/waits';
import { sessionIdSchema } from '@zerd/protocol/common/ids';
import { manualClock } from '../../../../test/support/manual-clock.ts';

const sessionId = sessionIdSchema.parse('ses_1');

test('what holds up the rest is told first, then what began first', () => {
  const clock = manualClock();
  const waits = createWaits(clock);
  const names = () => waits.list().map((wait) => wait.for);
  waits.begin('tool shell', sessionId, clock.now() + 900_000);
  clock.advance(5_000);
  waits.begin('tool read', sessionId);
  const room = waits.begin(waitForRoom('the session log', '/state'), sessionId, undefined, 'blocks');
  expect(names()).toEqual(['room on the disk: the session log in /state', 'tool shell', 'tool read']);
  room[Symbol.dispose]();
  expect(names()).toEqual(['tool shell', 'tool read']);
});
