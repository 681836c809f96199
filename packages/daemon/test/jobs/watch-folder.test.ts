import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { JobsRoom } from '@zerd/daemon/jobs/room';
import { type Tracked, track } from '@zerd/daemon/jobs/tracked';
import { watchFolder } from '@zerd/daemon/jobs/watch-folder';
import { bootId, findProcess } from '@zerd/daemon/processes/list-processes';
import { callIdSchema, jobIdSchema, sessionIdSchema, turnIdSchema } from '@zerd/protocol/common/ids';

/** Follows this very process as if it were a command of an earlier daemon; after how long it was looked at each time. */
function looksAt(changes: Partial<Tracked>, looks: number): readonly number[] {
  const folder = mkdtempSync(join(tmpdir(), 'watched-'));
  const ids = {
    jobId: jobIdSchema.parse('job_1'),
    sessionId: sessionIdSchema.parse('ses_1'),
    turnId: turnIdSchema.parse('turn_1'),
    callId: callIdSchema.parse('call_1'),
  };
  const own = { pid: process.pid, startedAt: findProcess(process.pid)?.startedAt ?? 0 };
  const tracked = track({ ...ids, command: 'sleep 600', mark: 'none', startedAt: 0 }, folder);
  Object.assign(tracked, { started: { ...own, bootId: bootId(), host: own }, phase: 'job', ...changes });
  const waited: number[] = [];
  const fires: (() => void)[] = [];
  const clock = {
    setTimer(ms: number, fire: () => void) {
      waited.push(Math.round(ms));
      fires.push(fire);
      return { [Symbol.dispose]() {} };
    },
  };
  const never = () => expect(undefined).toBe('over');
  watchFolder(
    { clock, timers: new Set(), closed: false } as unknown as JobsRoom,
    { settle: never, lose: never },
    tracked,
  );
  while (waited.length < looks) fires.shift()?.();
  rmSync(folder, { recursive: true });
  return waited;
}

test('a job of an earlier daemon is looked at ever more rarely, while nobody waits for its end', () => {
  expect(looksAt({}, 14)).toEqual([500, 625, 781, 977, 1221, 1526, 1907, 2384, 2980, 3725, 4657, 5000, 5000, 5000]);
  expect(looksAt({ isWaitedFor: true }, 4)).toEqual([500, 500, 500, 500]);
  expect(looksAt({ phase: 'call' }, 4)).toEqual([500, 500, 500, 500]);
});
