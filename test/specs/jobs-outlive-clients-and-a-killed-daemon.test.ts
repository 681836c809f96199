import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { SessionEvent } from '@zerd/protocol/common/event';
import { sessionIdSchema } from '@zerd/protocol/common/ids';
import { type House, inHouse } from '../support/house.ts';
import { daemonsWith, processesWith } from '../support/left-alive.ts';

/** Names what a test starts. */
const tag = `6${process.pid}`;
const sleepers = () => processesWith(tag).filter(({ command }) => command.startsWith('sleep'));

async function eventually<T>(get: () => T | Promise<T>, holds: (value: T) => boolean, withinMs = 20_000): Promise<T> {
  const deadline = performance.now() + withinMs;
  let value = await get();
  while (!holds(value) && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    value = await get();
  }
  expect(holds(value)).toBe(true);
  return value;
}

async function kinds<K extends SessionEvent['kind']>(house: House, sessionId: string, kind: K) {
  const events = await house.events(sessionId);
  return events.flatMap(({ event }) => (event.kind === kind ? [event as Extract<SessionEvent, { kind: K }>] : []));
}

function killDaemon(house: House): void {
  for (const { pid } of daemonsWith(house.home)) process.kill(pid, 'SIGKILL');
}

const shell = (command: string) => ({ calls: [{ name: 'shell', input: { command } }] });
const untilGo = 'until [ -e go ]; do sleep 0.1; done';
const config = (usual: object) => ({ ...usual, jobs: { afterMs: 300 } });

test('F-22, F-24: five jobs outlive their client and a daemon that is killed; each is told with its true end, once', async () => {
  const steps = [
    shell(`echo one; ${untilGo}; echo more; exit 3`),
    shell(`setsid sleep ${tag}1 >/dev/null 2>&1 & sleep ${tag}1`),
    shell(`trap '' TERM; sleep ${tag}2; :`),
    shell(`sleep ${tag}3 & echo started`),
    shell(`(${untilGo}; kill -9 $$) & sleep ${tag}4`),
    { text: 'Five jobs run.' },
    { text: 'I see.' },
  ];
  await inHouse({ steps, config }, async (house) => {
    const run = await house.zerd(['run', '--mode', 'full', '--trust', '--json', 'Go']);
    const { sessionId } = JSON.parse(run.stdout) as { sessionId: string };
    expect(run).toMatchObject({ code: 0 });
    expect(run.stderr.match(/^job_\w+ goes on: /gm)).toHaveLength(5);
    expect(run.stderr).toMatch(/See it: zerd jobs tail -f job_/);
    killDaemon(house);
    await eventually(sleepers, (found) => found.length === 5);
    // Two of them end while nobody is there.
    writeFileSync(join(house.repository, 'go'), '');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await eventually(
      () => kinds(house, sessionId, 'job.finished'),
      (found) => found.length === 2,
    );
    const ended = await kinds(house, sessionId, 'job.finished');
    expect(ended.map(({ outcome, exitCode, signal }) => [outcome, exitCode, signal]).sort()).toEqual([
      ['exited', 3, undefined],
      ['killed', undefined, 'SIGKILL'],
    ]);
    const list = await house.zerd(['jobs']);
    expect(list.stdout.match(/ running /g)).toHaveLength(3);
    // Nothing is told twice, also when another daemon looks again.
    killDaemon(house);
    await house.zerd(['run', '--session', sessionId, '--trust', 'And?']);
    expect(await kinds(house, sessionId, 'job.finished')).toHaveLength(2);
    const reminders = await kinds(house, sessionId, 'reminder.added');
    expect(reminders.map(({ text }) => text.match(/job_\w+ ended/g)?.length)).toEqual([2]);
    expect(house.gateway.requests.at(-1)?.bodyText).toContain('more');
    for (const { jobId } of (await (await house.connect()).request('job/list', {})).jobs.filter(
      (job) => !job.outcome,
    )) {
      const stop = await house.zerd(['jobs', 'stop', jobId]);
      expect([stop.code, stop.stderr]).toEqual([0, '']);
    }
    // A shell that was killed leaves what it had begun: that goes with its session.
    await (await house.connect()).request('session/delete', { sessionId: sessionIdSchema.parse(sessionId) });
    await eventually(sleepers, (found) => found.length === 0, 6_000);
  });
}, 60_000);

test('a command that ran in front when the daemon was killed goes on as a job and is named in its result', async () => {
  const steps = [shell(`echo x >> ran; sleep 2; echo end >> ran`), { text: 'I see.' }];
  await inHouse({ steps, config: (usual) => ({ ...usual, jobs: { afterMs: 60_000 } }) }, async (house) => {
    const run = house.start(['run', '--mode', 'full', '--trust', 'Go']);
    const ran = () =>
      existsSync(join(house.repository, 'ran')) ? readFileSync(join(house.repository, 'ran'), 'utf8') : '';
    await eventually(ran, (text) => text === 'x\n');
    run.child.kill('SIGKILL');
    killDaemon(house);
    const client = await house.connect();
    const [session] = (await client.request('session/list', {})).sessions;
    const sessionId = session?.sessionId ?? '';
    const [job] = await eventually(
      () => kinds(house, sessionId, 'job.started'),
      (found) => found.length === 1,
    );
    const [call] = await kinds(house, sessionId, 'toolCall.finished');
    expect(call).toMatchObject({ outcome: 'unknown', jobId: job?.jobId });
    expect(call?.shown).toContain(`It is ${job?.jobId}`);
    const [end] = await eventually(
      () => kinds(house, sessionId, 'job.finished'),
      (found) => found.length === 1,
    );
    expect(end).toMatchObject({ outcome: 'exited', exitCode: 0 });
    expect(ran()).toBe('x\nend\n');
  });
}, 60_000);

test('zerd run --wait-jobs stays until they end; zerd jobs reads, feeds and follows them', async () => {
  const steps = [
    shell('while read -r x; do echo "got $x"; [ "$x" = end ] && exit 4; done < "$JOB_INPUT"'),
    { text: 'Runs.' },
  ];
  await inHouse({ steps, config }, async (house) => {
    const run = house.start(['run', '--mode', 'full', '--trust', '--wait-jobs', 'Go']);
    const client = await house.connect();
    const [job] = await eventually(
      async () => (await client.request('job/list', {})).jobs,
      (jobs) => jobs.length === 1,
    );
    const jobId = job?.jobId ?? '';
    expect((await client.request('daemon/status', {})).runningJobs).toBe(1);
    await eventually(run.stdout, (text) => text === 'Runs.\n');
    const tail = house.start(['jobs', 'tail', '-f', jobId.slice(-6)]);
    expect((await house.zerd(['jobs', 'write', jobId, 'one'])).code).toBe(0);
    await eventually(tail.stdout, (text) => text === 'got one\n');
    expect((await house.zerd(['jobs', 'write', jobId, 'end'])).code).toBe(0);
    const [followed, ran] = await Promise.all([tail.finished, run.finished]);
    expect([followed.stdout, followed.stderr]).toEqual(['got one\ngot end\n', `${jobId}: exit 4\n`]);
    expect(ran.stderr).toContain(`${jobId}: exit 4`);
    const none = await house.zerd(['jobs', 'stop', 'job_none']);
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('There is no job job_none here')]);
  });
}, 60_000);
