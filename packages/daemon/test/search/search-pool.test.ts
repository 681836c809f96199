import { expect, test } from '@jest/globals';
import { createPool, silentMs, TaskExpired } from '@zerd/daemon/search/index/pool';
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

test('a thread that hangs for 15 minutes without progress is replaced; one that gets further is not', async () => {
  const clock = manualClock();
  const file = program(`let n = 0; parentPort.on('message', ({ id, task }) => {
    const tell = () => parentPort.postMessage({ id, kind: 'progress', files: 1, bytes: 1 });
    if (task.task.hang) { tell(); setTimeout(tell, 5); return; }
    parentPort.postMessage({ id, kind: 'done', result: (n += 1) });
  });`);
  const pool = createPool({ size: 1, file, clock });
  let told = 0;
  let tell = () => {};
  const twice = new Promise<void>((resolve) => {
    tell = () => {
      told += 1;
      if (told === 1) clock.advance(silentMs - 1);
      else resolve();
    };
  });
  const hanging = pool.run('segment', { ...task, hang: true } as SegmentTask, { onProgress: tell });
  hanging.catch(() => undefined);
  await twice;
  clock.advance(silentMs - 1);
  const next = pool.run('segment', task);
  clock.advance(1);
  await expect(hanging).rejects.toThrow(TaskExpired);
  expect(await next).toBe(1);
  pool.release();
});
