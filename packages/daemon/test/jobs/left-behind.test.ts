/** What could not be ended within its five seconds is not let go of. How processes are ended is the test's. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Jobs } from '@zerd/daemon/base/job-ports';
import { checkJobs } from '@zerd/daemon/jobs/check-jobs';
import type { OpenHost } from '@zerd/daemon/jobs/host-process';
import type { Trees } from '@zerd/daemon/jobs/room';
import { bootId, findProcess } from '@zerd/daemon/processes/list-processes';
import type { ProcessTree } from '@zerd/daemon/processes/process-tree';
import { openStore } from '@zerd/daemon/store/open';
import { callIdSchema, type JobId, sessionIdSchema, turnIdSchema } from '@zerd/protocol/common/ids';
import { type ManualClock, manualClock } from '../../../../test/support/manual-clock.ts';
import { testJobs } from '../support/test-jobs.ts';

const sessionId = sessionIdSchema.parse('ses_1');
const turnId = turnIdSchema.parse('turn_1');
const callId = callIdSchema.parse('call_1');
const command = 'true secret-words';

let folder: string;
let clock: ManualClock;
let store: Awaited<ReturnType<typeof openStore>>;
let jobs: Jobs;
/** The processes that nothing ends, and how often each tree was tried. */
let stubborn: readonly number[];
let tried: ProcessTree[];

let endInTime: Trees['end'];
const trees: Trees = {
  end: (...args) => endInTime(...args),
  kill(tree) {
    tried.push(tree);
    return stubborn;
  },
};

/** Says that a command began, and nothing more. */
const quietHost: OpenHost = (onReport) => ({
  gone: new Promise(() => {}),
  send(order) {
    const host = { pid: process.pid, startedAt: findProcess(process.pid)?.startedAt ?? 0 };
    const started = { pid: 2 ** 22 + 1, startedAt: 1, bootId: bootId(), host };
    onReport({ kind: 'started', jobId: order.jobId, started });
    return true;
  },
  close() {},
});

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'left-'));
  clock = manualClock();
  store = await openStore({ folder: join(folder, 'state'), clock });
  stubborn = [4711];
  tried = [];
  endInTime = async () => stubborn.length === 0;
  await open();
});
afterEach(async () => {
  await jobs.close();
  await store.close();
  rmSync(folder, { recursive: true });
});

async function open(): Promise<void> {
  jobs = testJobs(folder, store, clock, quietHost, undefined, trees);
  await jobs.adopt();
}

async function begin(): Promise<void> {
  const started = await jobs.start({ sessionId, turnId, callId, command, cwd: folder, env: {} });
  if (!started.ok) throw new Error(started.code);
}

const file = () => join(folder, 'jobs.left.json');

test('R-14, P082: what outlives its session is tried again until it is gone, told by doctor, and keeps no word of the command', async () => {
  await begin();
  expect(await jobs.stopOf(sessionId)).toBe(false);
  expect([readdirSync(join(folder, 'jobs')), jobs.list()]).toEqual([[], []]);
  expect([readFileSync(file(), 'utf8').includes('secret-words'), statSync(file()).mode & 0o777]).toEqual([
    false,
    0o600,
  ]);
  const [left] = jobs.left();
  expect(left).toEqual({ jobId: expect.stringMatching(/^job_/), sinceAt: clock.wall(), pids: [4711] });
  expect(checkJobs(jobs)).toMatchObject({
    ok: false,
    says: `0 running, 0 ended since the daemon began. Of commands that were ended, processes are still there, and zerd goes on ending them: ${left?.jobId} (process 4711).`,
  });
  expect(tried).toHaveLength(1);
  for (const [ms, times] of [
    [1_000, 2],
    [2_000, 3],
    [60_000, 7],
    [600_000, 17],
  ] as const) {
    clock.advance(ms);
    expect(tried).toHaveLength(times);
  }
  stubborn = [];
  clock.advance(60_000);
  expect([jobs.left(), existsSync(file()), checkJobs(jobs).ok]).toEqual([[], false, true]);
  clock.advance(600_000);
  expect(tried).toHaveLength(18);
});

/** A job of which the log knows, that is stopped and does not end. */
async function stopped(): Promise<JobId> {
  const started = await jobs.start({ sessionId, turnId, callId, command, cwd: folder, env: {} });
  if (!started.ok) throw new Error(started.code);
  const { jobId } = started.command;
  started.command.keep();
  await store.append(sessionId, [{ kind: 'job.started', turnId, callId, jobId, command }]);
  expect(await jobs.stop(jobId, 'stopped by the user')).toBe(false);
  return jobId;
}
const ends = () => store.read(sessionId).flatMap(({ event }) => (event.kind === 'job.finished' ? [event] : []));

test('R-14: a job that outlives its stop is tried again until it is gone, and ends in the log then, as stopped', async () => {
  const jobId = await stopped();
  expect(jobs.left()).toMatchObject([{ jobId, pids: [4711] }]);
  clock.advance(60_000);
  expect([jobs.left().length, ends()]).toEqual([1, []]);
  stubborn = [];
  clock.advance(60_000);
  expect([jobs.left(), existsSync(file())]).toEqual([[], false]);
  while (ends().length === 0) {
    clock.advance(500);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(ends()).toMatchObject([{ jobId, outcome: 'stopped', reason: 'stopped by the user' }]);
});

test('R-14: stopped once more, it is tried by one and not by two', async () => {
  const jobId = await stopped();
  clock.advance(1_000);
  expect(await jobs.stop(jobId, 'stopped by the user')).toBe(false);
  tried = [];
  clock.advance(1_000);
  expect(tried).toHaveLength(1);
});

test('R-14: the next daemon goes on with a stop', async () => {
  const jobId = await stopped();
  await jobs.close();
  await open();
  expect(jobs.left()).toMatchObject([{ jobId, pids: [4711] }]);
  stubborn = [];
  clock.advance(60_000);
  expect([jobs.left(), existsSync(file())]).toEqual([[], false]);
});

test('the next daemon goes on with it', async () => {
  await begin();
  await jobs.stopOf(sessionId);
  const [left] = jobs.left();
  const [tree] = tried;
  await jobs.close();
  await open();
  expect(jobs.left()).toEqual([left]);
  expect(tried.at(-1)).toEqual(tree);
  stubborn = [];
  clock.advance(60_000);
  expect([jobs.left(), existsSync(file())]).toEqual([[], false]);
});

test('what a call leaves behind is written down before its folder goes: a daemon that dies in between goes on with it', async () => {
  await begin();
  endInTime = () => new Promise(() => {});
  const none = { outcome: 'interrupted', shown: '', bytes: 0, durationMs: 0 } as const;
  await store.append(sessionId, [{ kind: 'toolCall.finished', turnId, callId, ...none }]);
  expect([readdirSync(join(folder, 'jobs')), jobs.left()]).toEqual([[], []]);
  const dead = jobs;
  await open();
  expect([dead.left(), jobs.left()]).toMatchObject([[], [{ pids: [4711] }]]);
  stubborn = [];
  clock.advance(1_000);
  expect([jobs.left(), existsSync(file())]).toEqual([[], false]);
});

test('what was left before the machine was started anew is gone', async () => {
  await begin();
  await jobs.stopOf(sessionId);
  await jobs.close();
  writeFileSync(file(), readFileSync(file(), 'utf8').replace(bootId(), 'another-boot'));
  await open();
  expect([jobs.left(), existsSync(file())]).toEqual([[], false]);
});
