import { expect, test } from '@jest/globals';
import { createPool, TaskExpired } from '@zerd/daemon/search/index/pool';
import type { SegmentTask } from '@zerd/daemon/search/index/write-segment';
import { manualClock } from '../../../../test/support/manual-clock.ts';

const task = {} as SegmentTask;
const program = (code: string) =>
  new URL(`data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads';${code}`)}`);

test('a task that goes round in circles is ended at its deadline, and the next one gets a new thread', async () => {
  const clock = manualClock();
  const file = program(`let n = 0; parentPort.on('message', ({ id, task }) => {
    if (task.task.spin) { parentPort.postMessage({ id, kind: 'progress', files: 1, bytes: 1 }); for (;;); }
    parentPort.postMessage({ id, kind: 'done', result: (n += 1) });
  });`);
  const pool = createPool({ size: 1, file, clock });
  const spinning = new Promise<void>((resolve) => {
    const run = pool.run('segment', { ...task, spin: true } as SegmentTask, {
      deadlineMs: 3_000,
      onProgress: () => resolve(),
    });
    run.catch(() => undefined);
    void expect(run).rejects.toThrow(TaskExpired);
  });
  await spinning;
  clock.advance(3_000);
  expect(await pool.run('segment', task)).toBe(1);
  pool.release();
});

test('a thread that dies fails its task, and an aborted task ends with the reason', async () => {
  const pool = createPool({ size: 1, file: program(`parentPort.on('message', () => process.exit(3));`) });
  await expect(pool.run('segment', task)).rejects.toThrow('a search thread ended');
  const abort = new AbortController();
  abort.abort(new Error('enough'));
  await expect(pool.run('segment', task, { signal: abort.signal })).rejects.toThrow('enough');
  pool.release();
});
