import { expect, test } from '@jest/globals';
import { type JobEnd, sayCommand, sayDuration, sayEnd, sayGoesOn, sayLeftAlive } from '@zerd/core/jobs/say';
import { jobsEnded, untoldEnds } from '@zerd/core/jobs/tell-ends';
import { foldSession } from '@zerd/core/session/fold';
import type { SessionEvent } from '@zerd/protocol/common/event';
import { callIdSchema, jobIdSchema, turnIdSchema } from '@zerd/protocol/common/ids';

const jobId = jobIdSchema.parse('job_1');
const turnId = turnIdSchema.parse('turn_1');
const callId = callIdSchema.parse('call_1');

function check(end: JobEnd, expected: string) {
  expect(sayEnd(jobId, end)).toBe(expected);
}

test('an end is said by its true status (P076, P078)', () => {
  check({ outcome: 'exited', exitCode: 0, durationMs: 200_000 }, 'job_1 ended after 3 min 20 s: exit 0');
  check(
    { outcome: 'exited', exitCode: 3, durationMs: 900, alive: 2 },
    'job_1 ended after 900 ms: exit 3; 2 processes that it started are alive',
  );
  check({ outcome: 'killed', signal: 'SIGKILL' }, 'job_1 ended: killed by SIGKILL');
  check({ outcome: 'stopped', reason: 'asked by the model' }, 'job_1 ended: stopped (asked by the model)');
  check({ outcome: 'timedOut' }, 'job_1 ended: timed out, killed');
  check({ outcome: 'lost', reason: 'why' }, 'job_1 ended: how is not known (why)');
});

test('P080: what goes on is said with what happens next', () => {
  expect(sayGoesOn(jobId, 15_000)).toBe(
    'still running after 15 s: it goes on as job_1, and you will be told when it ends',
  );
  expect(sayLeftAlive(jobId, 1)).toBe(
    '1 process that it started is alive and goes on as job_1; you will be told when it ends',
  );
  expect(sayLeftAlive(jobId, 3)).toBe(
    '3 processes that it started are alive and go on as job_1; you will be told when they end',
  );
  expect([60_000, 3_600_000, 7_500_000].map(sayDuration)).toEqual(['1 min', '1 h', '2 h 5 min']);
  expect(sayCommand('a\n\tb\u001b[1m')).toBe('a b [1m');
});

const begun: readonly SessionEvent[] = [
  { kind: 'job.started', turnId, callId, jobId, command: 'npm test' },
  { kind: 'job.finished', jobId, outcome: 'exited', exitCode: 1, durationMs: 20_000, bytes: 4 },
];

function stateOf(...events: readonly SessionEvent[]) {
  return foldSession(events.map((event, index) => ({ seq: index + 1, at: index, event })));
}

test('an end is told once, with what is new in the output', () => {
  const [first] = begun;
  if (first) expect(untoldEnds(stateOf(first))).toEqual([]);
  const ends = untoldEnds(stateOf(...begun));
  const reminder = jobsEnded(turnId, ends, new Map([[jobId, 'FAIL a.test']]));
  expect(reminder).toEqual({
    kind: 'reminder.added',
    turnId,
    text: 'job_1 ended after 20 s: exit 1. Command: npm test\nNew output:\nFAIL a.test',
    about: { kind: 'jobsEnded', jobIds: [jobId] },
  });
  expect(untoldEnds(stateOf(...begun, ...(reminder ? [reminder] : [])))).toEqual([]);
  expect(jobsEnded(turnId, [], new Map())).toBe(undefined);
});

test('an end that a result of jobs told is not told again', () => {
  const call: readonly SessionEvent[] = [
    {
      kind: 'assistant.finished',
      requestId: 'req_1' as never,
      turnId,
      content: [{ kind: 'toolCall', callId, name: 'jobs', inputJson: '{"action":"wait"}' }],
      stopReason: 'toolUse',
      usage: { uncached: 1, cacheRead: 0, cacheWrite: 0, output: 1 } as never,
      costPico: null,
    },
    {
      kind: 'toolCall.finished',
      turnId,
      callId,
      outcome: 'ok',
      shown: 'job_1 ended after 20 s: exit 1',
      bytes: 1,
      durationMs: 1,
    },
  ];
  expect(untoldEnds(stateOf(...begun, ...call))).toEqual([]);
});
