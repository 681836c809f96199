import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Jobs } from '@zerd/daemon/base/job-ports';
import { openStore } from '@zerd/daemon/store/open';
import type { SessionEvent } from '@zerd/protocol/common/event';
import { callIdSchema, sessionIdSchema, turnIdSchema } from '@zerd/protocol/common/ids';
import { systemClock } from '@zerd/protocol/node/clock';
import { processesWith } from '../../../../test/support/left-alive.ts';
import { testJobs } from '../support/test-jobs.ts';

const sessionId = sessionIdSchema.parse('ses_1');
const call = { sessionId, turnId: turnIdSchema.parse('turn_1'), callId: callIdSchema.parse('call_1') };
/** Names everything that a test starts. */
const tag = `5${process.pid}.${Math.floor(performance.now())}`;

let folder: string;
let store: Awaited<ReturnType<typeof openStore>>;
let jobs: Jobs;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tree-'));
  store = await openStore({ folder: join(folder, 'state'), clock: systemClock });
  jobs = testJobs(folder, store);
});

afterEach(async () => {
  for (const { pid } of processesWith(tag)) process.kill(pid, 'SIGKILL');
  await jobs.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const sleepers = () => processesWith(tag).filter(({ command }) => command.startsWith('sleep'));

/** An event that is looked for; the deadline is for a defect alone. */
async function until(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!holds() && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(holds()).toBe(true);
}

async function begin(command: string) {
  const started = await jobs.start({ ...call, command, cwd: folder, env: { PATH: '/usr/bin:/bin' } });
  if (!started.ok) throw new Error(started.code);
  started.command.keep();
  const { jobId } = started.command;
  const event: SessionEvent = { kind: 'job.started', turnId: call.turnId, callId: call.callId, jobId, command };
  await store.append(sessionId, [event]);
  return started.command;
}

const quiet = '>/dev/null 2>&1';
const deaf = `bash -c "trap '' TERM; sleep ${tag}; :"`;
const escapes: readonly (readonly [string, string, number])[] = [
  ['that cleared its environment and left its session', `env -i setsid sleep ${tag} ${quiet} & sleep ${tag}`, 2],
  ['whose parent is gone besides', `(env -i setsid sleep ${tag} ${quiet} &); sleep ${tag}`, 2],
  ['that ignores SIGTERM besides', `(env -i setsid ${deaf} ${quiet} &); sleep ${tag}`, 2],
  ['that did it twice', `(env -i setsid bash -c '(env -i setsid sleep ${tag} &)' ${quiet} &); sleep ${tag}`, 2],
  ['that its shell left behind', `(env -i setsid sleep ${tag} ${quiet} &)`, 1],
];

/** Where there is no /proc a command that clears its environment cannot be told from a stranger. */
const testOnLinux = process.platform === 'linux' ? test : test.skip;

for (const [which, command, count] of escapes) {
  testOnLinux(`F-21: a process ${which} is the command's, and a cancel ends it`, async () => {
    const { jobId } = await begin(command);
    await until(() => sleepers().length === count);
    expect([await jobs.stop(jobId, 'asked by the test'), processesWith(tag)]).toEqual([true, []]);
  });
}

testOnLinux(
  'F-21: an escaped process that outlives its shell is told as alive, and another job keeps its own',
  async () => {
    const { ended, jobId } = await begin(`(env -i setsid sleep ${tag} ${quiet} &)`);
    expect(await ended).toMatchObject({ outcome: 'exited', exitCode: 0, alive: 1 });
    const other = await begin(`exec sleep ${tag}`);
    await until(() => sleepers().length === 2);
    expect(await jobs.stop(jobId, 'asked by the test')).toBe(true);
    expect(sleepers()).toHaveLength(1);
    expect(await jobs.stop(other.jobId, 'asked by the test')).toBe(true);
  },
);

testOnLinux(
  'what a program of Node starts with an environment of its own, as zerd its daemons, is no job',
  async () => {
    const spawned = `require('child_process').spawn('sleep',['${tag}'],{env:{},detached:true,stdio:'ignore'}).unref()`;
    const { ended } = await begin(`${process.execPath} -e "${spawned}"`);
    expect(await ended).toEqual({ outcome: 'exited', exitCode: 0, durationMs: expect.any(Number) });
    expect(sleepers()).toHaveLength(1);
  },
);
