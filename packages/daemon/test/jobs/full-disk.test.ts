import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test } from '@jest/globals';
import { createWaits } from '@zerd/daemon/base/waits';
import { openStore } from '@zerd/daemon/store/open';
import type { SessionEvent } from '@zerd/protocol/common/event';
import { callIdSchema, sessionIdSchema, turnIdSchema } from '@zerd/protocol/common/ids';
import { systemClock } from '@zerd/protocol/node/clock';
import { openSmallDisk } from '../../../../test/support/small-disk.ts';
import { hostHere, testJobs } from '../support/test-jobs.ts';

const disk = openSmallDisk(4);
afterAll(() => disk?.unmount());
/** The tests are skipped by name where nothing can be mounted. */
const testOnDisk = disk === undefined ? test.skip : test;

const call = {
  sessionId: sessionIdSchema.parse('ses_1'),
  turnId: turnIdSchema.parse('turn_1'),
  callId: callIdSchema.parse('call_1'),
};

let work: string;
let store: Awaited<ReturnType<typeof openStore>>;

beforeEach(async () => {
  work = mkdtempSync(join(tmpdir(), 'zerd-work-'));
  store = await openStore({ folder: join(work, 'state'), clock: systemClock });
});

afterEach(async () => {
  disk?.makeRoom();
  await store.close();
  rmSync(work, { recursive: true, force: true });
});

/** The folders of jobs are on the small disk, the rest is not. */
function open() {
  const waits = createWaits(systemClock);
  const jobs = testJobs(disk?.folder ?? '', store, systemClock, hostHere, waits);
  const waitsFor = () => waits.list().map((wait) => wait.for);
  const start = (command: string) => jobs.start({ ...call, command, cwd: work, env: { PATH: '/usr/bin:/bin' } });
  return { jobs, start, waits, waitsFor };
}

async function begin(command: string) {
  const room = open();
  const started = await room.start(command);
  if (!started.ok) throw new Error(started.code);
  return { ...room, command: started.command };
}

/** An event that is looked for; the deadline is for a defect alone. */
async function until(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (!holds() && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(holds()).toBe(true);
}

const created: SessionEvent = {
  kind: 'session.created',
  root: '/',
  model: 'sim/sim',
  mode: 'full',
  system: '',
  tools: '[]',
  version: '0.1.0',
};

const go = () => writeFileSync(join(work, 'go'), '');
const afterGo = (command: string) => `until [ -e go ]; do sleep 0.05; done; ${command}`;
const room = () => [`room on the disk: the output of a command in ${join(work, 'state')}`];

testOnDisk(
  'F-37: a command that writes to a full disk waits where it writes, and loses nothing',
  async () => {
    const { jobs, command, waitsFor } = await begin(afterGo('seq 1 100000; touch wrote; echo end'));
    disk?.fillUp();
    go();
    await until(() => waitsFor().length > 0);
    expect([waitsFor(), existsSync(join(work, 'wrote'))]).toEqual([room(), false]);
    disk?.makeRoom();
    expect(await command.ended).toMatchObject({ outcome: 'exited', exitCode: 0 });
    const all = Array.from({ length: 100_000 }, (_, index) => `${index + 1}\n`).join('');
    expect(await command.output()).toEqual({ kind: 'text', text: `${all}end\n` });
    expect(waitsFor()).toEqual([]);
    await jobs.close();
  },
  60_000,
);

testOnDisk(
  'F-37: an end that a full disk does not take is written down when there is room, and is the true one',
  async () => {
    const { jobs, command, waitsFor } = await begin(afterGo('exit 7'));
    disk?.fillUp();
    go();
    await until(() => waitsFor().length > 0);
    expect(waitsFor()).toEqual(room());
    disk?.makeRoom();
    expect(await command.ended).toMatchObject({ outcome: 'exited', exitCode: 7 });
    await jobs.close();
  },
  60_000,
);

testOnDisk(
  'F-37: a daemon that finds a command whose host waits for room shows that wait too, until there is room',
  async () => {
    const first = await begin(afterGo('seq 1 100000; echo end'));
    const { jobId } = first.command;
    disk?.fillUp();
    go();
    await until(() => first.waitsFor().length > 0);
    const [before] = first.waits.list();
    await first.jobs.close();
    const { jobs, waits, waitsFor } = open();
    const { sessionId, ...ofCall } = call;
    await store.append(sessionId, [created, { kind: 'job.started', ...ofCall, jobId, command: 'seq' }]);
    await jobs.adopt();
    expect(waitsFor()).toEqual(room());
    expect(Math.abs((waits.list()[0]?.deadlineAt ?? 0) - (before?.deadlineAt ?? 0))).toBeLessThan(60_000);
    disk?.makeRoom();
    await until(() => waitsFor().length === 0 && jobs.find(jobId)?.end !== undefined);
    expect(jobs.find(jobId)?.end).toMatchObject({ outcome: 'exited', exitCode: 0 });
    await jobs.close();
  },
  60_000,
);

testOnDisk(
  'F-37: what is ended while it waits for room is gone at once',
  async () => {
    const { jobs, command, waitsFor } = await begin(afterGo('seq 1 200000; sleep 1000'));
    disk?.fillUp();
    go();
    await until(() => waitsFor().length > 0);
    expect(await command.end()).toBe(true);
    disk?.makeRoom();
    expect(await command.ended).toMatchObject({ outcome: 'killed' });
    await jobs.close();
  },
  60_000,
);

testOnDisk(
  'F-37: where there is no room for its output a command is not begun, and leaves nothing behind',
  async () => {
    const { jobs, start } = open();
    disk?.fillUp();
    const before = readdirSync(join(disk?.folder ?? '', 'jobs'));
    expect(await start('touch ran')).toEqual({ ok: false, code: 'ENOSPC' });
    expect([readdirSync(join(disk?.folder ?? '', 'jobs')), existsSync(join(work, 'ran'))]).toEqual([before, false]);
    await jobs.close();
  },
);
