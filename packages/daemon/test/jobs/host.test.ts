import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Jobs } from '@zerd/daemon/base/job-ports';
import { findProcess } from '@zerd/daemon/processes/list-processes';
import { endTree, membersOf } from '@zerd/daemon/processes/process-tree';
import { openStore } from '@zerd/daemon/store/open';
import type { SessionEvent } from '@zerd/protocol/common/event';
import { callIdSchema, sessionIdSchema, turnIdSchema } from '@zerd/protocol/common/ids';
import { systemClock } from '@zerd/protocol/node/clock';
import { processesWith } from '../../../../test/support/left-alive.ts';
import { hostProgram } from '../support/host-program.ts';
import { testJobs } from '../support/test-jobs.ts';

const sessionId = sessionIdSchema.parse('ses_1');
const turnId = turnIdSchema.parse('turn_1');
const callId = callIdSchema.parse('call_1');
const tag = `8${process.pid}.${Math.floor(performance.now())}`;

let folder: string;
let store: Awaited<ReturnType<typeof openStore>>;
let jobs: Jobs;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'jobs-'));
  store = await openStore({ folder: join(folder, 'state'), clock: systemClock });
  jobs = open();
});

afterEach(async () => {
  await jobs.close();
  await store.close();
  await until(() => hosts().length === 0, 5_000);
  for (const { pid } of processesWith(tag)) process.kill(pid, 'SIGKILL');
  expect(hosts()).toEqual([]);
  rmSync(folder, { recursive: true, force: true });
});

const open = () => testJobs(folder, store, systemClock, hostProgram(folder));
const hosts = () => processesWith(folder).filter(({ command }) => command.includes('command-host'));
const finished = () => store.read(sessionId).flatMap(({ event }) => (event.kind === 'job.finished' ? [event] : []));

async function until(holds: () => boolean, withinMs = 8_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!holds() && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Begins a command and lets it go on as a job. */
async function job(command: string) {
  const started = await jobs.start({ sessionId, turnId, callId, command, cwd: folder, env: { PATH: '/usr/bin:/bin' } });
  if (!started.ok) throw new Error(started.code);
  const { jobId, keep } = started.command;
  keep();
  const event: SessionEvent = { kind: 'job.started', turnId, callId, jobId, command };
  await store.append(sessionId, [event]);
  return started.command;
}

test('F-22: a host outlives its daemon, writes down how its commands ended, and goes when none is left', async () => {
  const { jobId } = await job('sleep 0.5; echo late; exit 9');
  await jobs.close();
  const of = join(folder, 'jobs', jobId);
  await until(() => readdirSync(of).includes('ended.json'));
  expect(JSON.parse(readFileSync(join(of, 'ended.json'), 'utf8'))).toMatchObject({ code: 9, alive: 0 });
  expect(readFileSync(join(of, 'out'), 'utf8')).toBe('late\n');
  await until(() => hosts().length === 0, 3_000);
  expect(hosts()).toEqual([]);
  jobs = open();
  await jobs.adopt();
  await jobs.ended(jobId);
  expect(finished()).toEqual([expect.objectContaining({ jobId, outcome: 'exited', exitCode: 9, bytes: 5 })]);
});

test('a host that is killed loses no command: it is followed by its processes, and its end is called unknown', async () => {
  const { jobId } = await job(`sleep ${tag}; true`);
  for (const { pid } of hosts()) process.kill(pid, 'SIGKILL');
  await until(() => hosts().length === 0);
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect([finished(), processesWith(tag).length > 0]).toEqual([[], true]);
  for (const { pid } of processesWith(tag)) process.kill(pid, 'SIGTERM');
  await jobs.ended(jobId);
  expect(finished()).toEqual([expect.objectContaining({ jobId, outcome: 'lost', reason: expect.any(String) })]);
  // The next command has a new host.
  const next = await job('echo again');
  expect(await next.ended).toMatchObject({ outcome: 'exited', exitCode: 0 });
});

test('F-23: a process that has the id of a command by now is nobody of ours, and no signal reaches it', async () => {
  const stranger = spawn('sleep', [tag], { detached: true, stdio: 'ignore' });
  await until(() => processesWith(tag).length === 1);
  const pid = stranger.pid ?? 0;
  const startedAt = findProcess(pid)?.startedAt ?? 0;
  const mark = 'SHELL_MARK=0123456789abcdef';
  const stale = { pid, startedAt: startedAt - 1, mark };
  expect(membersOf(stale)).toEqual([]);
  expect(await endTree(stale, systemClock)).toBe(true);
  expect(findProcess(pid)?.startedAt).toBe(startedAt);
  expect(await endTree({ ...stale, startedAt }, systemClock)).toBe(true);
  expect(findProcess(pid)).toBe(undefined);
});

test('a command is told apart from another boot of the machine', async () => {
  const { jobId } = await job('sleep 0.3');
  await jobs.close();
  const path = join(folder, 'jobs', jobId, 'started.json');
  const record = JSON.parse(readFileSync(path, 'utf8')) as object;
  await until(() => hosts().length === 0);
  rmSync(join(folder, 'jobs', jobId, 'ended.json'));
  writeFileSync(path, JSON.stringify({ ...record, bootId: 'another' }));
  jobs = open();
  await jobs.adopt();
  await jobs.ended(jobId);
  expect(finished()).toEqual([
    expect.objectContaining({ outcome: 'lost', reason: 'the machine was started anew meanwhile' }),
  ]);
});
