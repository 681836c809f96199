/** Recorded sessions through the built daemon: real files, real tools. */
import { expect, test } from '@jest/globals';
import { parseRecorded } from '../../../src/bench/session/recorded.ts';
import { replaySession } from '../../../src/bench/session/replay-session.ts';
import { oddSession } from './odd-session.ts';

test('every call of an odd session ends as it was recorded', async () => {
  const session = parseRecorded(JSON.stringify(oddSession()), 'odd');
  const { figures, complaints } = await replaySession(session);
  expect(complaints).toEqual([]);
  expect(figures).toMatchObject({ bench: 'session', id: 'odd', calls: session.calls.length, failed: 0 });
}, 120_000);
