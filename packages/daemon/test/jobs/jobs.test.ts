import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import type { SessionEvent } from '@zerd/protocol/common/event';
import { callIdSchema, type SessionId } from '@zerd/protocol/common/ids';
import { processesWith } from '../../../../test/support/left-alive.ts';
import { openScene, type Scene, type SceneWish } from '../runner/harness.ts';

let scene: Scene;
/** Names everything that a test starts. */
const tag = `7${process.pid}.${Math.floor(performance.now())}`;

afterEach(async () => {
  for (const { pid } of processesWith(tag)) process.kill(pid, 'SIGKILL');
  await scene.close();
});

type Call = { readonly name: string; readonly input: Readonly<Record<string, unknown>> };
const shell = (command: string): Call => ({ name: 'shell', input: { command } });
const jobs = (input: Record<string, unknown>): Call => ({ name: 'jobs', input });

async function open(calls: readonly (Call | string)[], more: SceneWish = {}): Promise<Scene> {
  const steps = calls.map((call) => (typeof call === 'string' ? { text: call } : { calls: [call] }));
  scene = await openScene({ steps, config: { jobs: { afterMs: 200 } }, ...more });
  return scene;
}

function all<K extends SessionEvent['kind']>(sessionId: SessionId, kind: K) {
  const found = scene.events(sessionId).flatMap(({ event }) => (event.kind === kind ? [event] : []));
  return found as unknown as readonly Extract<SessionEvent, { kind: K }>[];
}

async function eventually(holds: () => boolean, withinMs = 20_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!holds() && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(holds()).toBe(true);
}

/** What a command waits for, so that nothing hangs on how fast the machine is. */
const untilGo = 'until [ -e go ]; do sleep 0.05; done';
const go = () => writeFileSync(join(scene.root, 'go'), '');
/** Long enough for a command to begin and to write on a busy machine. */
const longInFront = { config: { jobs: { afterMs: 2_000 } } };

const shown = (sessionId: SessionId) => all(sessionId, 'toolCall.finished').map((event) => event.shown);

test('P080: a command that takes long goes on as a job, its end is logged while the session is idle and told with the next request', async () => {
  const { say, gateway, folder } = await open(
    [shell(`echo early; ${untilGo}; echo late; exit 3`), 'Waiting.', 'I see.'],
    longInFront,
  );
  const { sessionId, end } = await say('Go');
  await end;
  const [job] = all(sessionId, 'job.started');
  const [call] = all(sessionId, 'toolCall.finished');
  expect(call).toMatchObject({ outcome: 'ok', jobId: job?.jobId });
  expect(call?.shown).toBe(
    `still running after 2 s: it goes on as ${job?.jobId}, and you will be told when it ends\nearly`,
  );
  go();
  await scene.until(sessionId, 'job.finished');
  expect(all(sessionId, 'job.finished')).toEqual([
    {
      kind: 'job.finished',
      jobId: job?.jobId,
      outcome: 'exited',
      exitCode: 3,
      durationMs: expect.any(Number),
      bytes: 11,
      archiveId: expect.any(String),
    },
  ]);
  expect(readdirSync(join(folder, 'jobs'))).toHaveLength(1);
  await say('And?', { sessionId });
  await eventually(() => all(sessionId, 'turn.finished').length === 2);
  const [reminder] = all(sessionId, 'reminder.added');
  expect(reminder?.text).toMatch(/^job_\w+ ended after [^:]+: exit 3\. Command: echo early.*\nNew output:\nlate$/s);
  expect(gateway.requests.at(-1)?.bodyText).toContain('New output');
  await eventually(() => readdirSync(join(folder, 'jobs')).length === 0);
});

test('P076, F-18: what a command leaves behind is a job, and its end is told as the true status', async () => {
  const { say } = await open([shell(`sleep 4 & echo done`), 'Done.'], { config: { jobs: { afterMs: 30_000 } } });
  const { sessionId, end } = await say('Go');
  await end;
  const [job] = all(sessionId, 'job.started');
  expect(shown(sessionId)).toEqual([
    `exit 0; 1 process that it started is alive and goes on as ${job?.jobId}; you will be told when it ends\ndone`,
  ]);
  expect(all(sessionId, 'toolCall.finished')[0]).toMatchObject({ exitCode: 0, jobId: job?.jobId });
  await scene.until(sessionId, 'job.finished');
  expect(all(sessionId, 'job.finished')[0]).toMatchObject({ outcome: 'exited', exitCode: 0 });
});

test('P082: what an interrupt left of a command whose shell had just ended goes with its call, which names no job', async () => {
  const { say, jobs: room } = await open(['Hello.']);
  const { sessionId, end } = await say('Go');
  await end;
  const [{ turnId } = { turnId: '' as never }] = all(sessionId, 'turn.started');
  const callId = callIdSchema.parse('call_interrupted');
  const command = `setsid sleep ${tag} & echo done`;
  const { root: cwd, env } = scene;
  const started = await room.start({ sessionId, turnId, callId, command, cwd, env });
  if (!started.ok) throw new Error(started.code);
  expect(await started.command.ended).toMatchObject({ alive: 1 });
  const interrupted = { outcome: 'interrupted', shown: '', bytes: 0, durationMs: 0 } as const;
  await scene.store.append(sessionId, [{ kind: 'toolCall.finished', turnId, callId, ...interrupted }]);
  await eventually(() => processesWith(tag).length === 0);
});

test('P076: a job whose shell ends while its children live is told at once, with their number', async () => {
  const { say } = await open([shell(`sleep 0.4; (setsid sleep ${tag} >/dev/null 2>&1 &)`), 'Done.']);
  const { sessionId, end } = await say('Go');
  await end;
  await scene.until(sessionId, 'job.finished');
  expect(all(sessionId, 'job.finished')[0]).toMatchObject({ outcome: 'exited', exitCode: 0, alive: 1 });
  expect(await scene.jobs.stopOf(sessionId)).toBe(true);
  expect(processesWith(tag)).toEqual([]);
});

test('jobs: list, tail, write, wait and stop say what is new, once', async () => {
  const reader = 'while read -r line; do echo "got $line"; done < "$JOB_INPUT"';
  const { say } = await open([
    shell(`echo ready; ${reader}`),
    jobs({ action: 'list' }),
    jobs({ action: 'tail' }),
    jobs({ action: 'write', text: 'one\n' }),
    jobs({ action: 'wait', timeoutMs: 300 }),
    jobs({ action: 'stop' }),
    jobs({ action: 'list' }),
    jobs({ action: 'tail', id: 'job_none' }),
    'Done.',
  ]);
  const { sessionId, end } = await say('Go');
  await end;
  const [, list, tail, write, wait, stop, after, none] = shown(sessionId);
  expect(list).toMatch(/^job_\w+ running for \d+ m?s: echo ready; while read/);
  expect(tail).toMatch(/^job_\w+ running for \d+ m?s\n\(no new output\)$/);
  expect(write).toMatch(/^Written to job_\w+\.$/);
  expect(wait).toMatch(/^job_\w+ running for \d+ m?s\ngot one$/);
  expect(stop).toMatch(/^job_\w+ ended after \d+ (m?s|s): stopped \(asked by the model\)/);
  expect(after).toMatch(/^job_\w+ ended/);
  expect(none).toMatch(/^There is no such job here; nothing was done\. Jobs: job_/);
  expect(all(sessionId, 'job.finished')[0]).toMatchObject({ outcome: 'stopped' });
  expect(all(sessionId, 'reminder.added')).toEqual([]);
});

test('what goes on behind a shell that has ended is written to as well', async () => {
  const reader = '(touch reads; while read -r line; do echo "got $line"; done) < "$JOB_INPUT"';
  const { say } = await open(
    [
      shell(`${reader} & until [ -e reads ]; do sleep 0.05; done; echo begun`),
      jobs({ action: 'write', text: 'one\n' }),
      jobs({ action: 'stop' }),
      'Done.',
    ],
    { config: { jobs: { afterMs: 30_000 } } },
  );
  const { sessionId, end } = await say('Go');
  await end;
  const [begun, write] = shown(sessionId);
  expect(begun).toMatch(/^exit 0; 1 process that it started is alive and goes on as job_\w+/);
  expect(write).toMatch(/^Written to job_\w+\.$/);
});

test('a job without input says how to give it one, and nothing waits for input that it did not ask for (F-19)', async () => {
  const { say } = await open([
    shell('cat; sleep 5'),
    jobs({ action: 'write', text: 'x' }),
    jobs({ action: 'stop' }),
    'Done.',
  ]);
  const { sessionId, end } = await say('Go');
  await end;
  expect(shown(sessionId)[1]).toContain('has no input; nothing was written.');
});

test('an interrupt ends a wait and no job', async () => {
  const { say, runner } = await open([shell(`sleep ${tag}`), jobs({ action: 'wait', timeoutMs: 60_000 }), 'Done.']);
  const { sessionId, end } = await say('Go');
  await eventually(() => all(sessionId, 'toolCall.started').length === 2);
  expect(await runner.interrupt(sessionId)).toBe(true);
  await end;
  expect(shown(sessionId)[1]).toBe('Interrupted while waiting; the jobs run on.');
  expect(processesWith(tag)).toHaveLength(1);
  expect(await scene.jobs.stopOf(sessionId)).toBe(true);
  expect([processesWith(tag), readdirSync(join(scene.folder, 'jobs'))]).toEqual([[], []]);
});

test('the end of a job begins a turn when the user allowed it, and not otherwise', async () => {
  const config = { jobs: { afterMs: 200, wake: true } };
  const { say, gateway } = await open([shell(`${untilGo}; echo built`), 'Waiting.', 'It is built.'], { config });
  const { sessionId, end } = await say('Go');
  await end;
  go();
  await eventually(() => all(sessionId, 'turn.finished').length === 2);
  expect(all(sessionId, 'message.submitted')).toHaveLength(1);
  expect(all(sessionId, 'reminder.added')[0]?.text).toContain('New output:\nbuilt');
  expect(gateway.requests).toHaveLength(3);
});

test('F-22: jobs go on while no daemon is there; what ended meanwhile is told with its exit status', async () => {
  const { say } = await open([shell(`${untilGo}; exit 7`), shell(`echo x; sleep ${tag}`), 'Waiting.', 'I see.']);
  const { sessionId, end } = await say('Go');
  await end;
  const before = scene.jobs;
  await before.close();
  go();
  await eventually(() => existsEnded());
  await scene.restart();
  await scene.until(sessionId, 'job.finished');
  expect(all(sessionId, 'job.finished')).toEqual([expect.objectContaining({ outcome: 'exited', exitCode: 7 })]);
  await eventually(() => scene.jobs.running() === 1);
  expect(scene.jobs.list(sessionId).map(({ end: how }) => how?.exitCode)).toEqual([7, undefined]);
  const running = scene.jobs.list(sessionId).find(({ end: how }) => how === undefined);
  if (running) expect(await scene.jobs.stop(running.jobId, 'test')).toBe(true);
  await eventually(() => all(sessionId, 'job.finished').length === 2);
  expect(all(sessionId, 'job.finished')[1]).toMatchObject({ outcome: 'stopped' });
});

function existsEnded(): boolean {
  const folder = join(scene.folder, 'jobs');
  return readdirSync(folder).some((name) => existsSync(join(folder, name, 'ended.json')));
}
