import { expect, test } from '@jest/globals';
import { jobTable } from '@zerd/cli/commands/jobs';
import { tellJobs } from '@zerd/cli/session/left-running';
import { jobIdSchema, sessionIdSchema } from '@zerd/protocol/common/ids';
import type { JobRow } from '@zerd/protocol/common/job-shapes';
import { systemClock } from '@zerd/protocol/node/clock';

const sessionId = sessionIdSchema.parse('ses_1');
const running: JobRow = {
  jobId: jobIdSchema.parse('job_1'),
  sessionId,
  command: 'npm run dev\n\u001b[31m',
  startedAt: 1,
  bytes: 20,
};
const ended: JobRow = { ...running, outcome: 'exited', exitCode: 3, alive: 2, bytes: 7 };

/** Answers of `job/list`, one after the other. */
async function told(wait: boolean, ...lists: readonly (readonly JobRow[])[]): Promise<string> {
  let said = '';
  let asked = 0;
  const client = { close() {}, request: async () => ({ jobs: lists[Math.min(asked++, lists.length - 1)] }) };
  const terminal = {
    err: (text: string) => {
      said += text;
    },
  };
  const clock = { ...systemClock, sleep: async () => {} };
  await tellJobs(async () => client as never, sessionId, wait, { terminal, clock } as never);
  return said;
}

test('jobs are a table in which no command paints or breaks a line', () => {
  expect(jobTable([])).toBe('No jobs. A command that runs for long becomes one.\n');
  expect(jobTable([running, ended])).toBe(
    [
      'JOB    STATE           SESSION  BYTES  COMMAND',
      'job_1  running         ses_1    20     npm run dev \\x1b[31m',
      'job_1  exit 3, 2 left  ses_1    7      npm run dev \\x1b[31m',
      '',
    ].join('\n'),
  );
});

test('a run whose turn leaves a job running names it, or waits for it when asked to', async () => {
  expect(await told(false, [ended])).toBe('');
  expect(await told(false, [running])).toBe(
    'job_1 goes on: npm run dev \\x1b[31m\nSee it: zerd jobs tail -f job_1. End it: zerd jobs stop job_1\n',
  );
  expect(await told(true, [running], [running], [ended])).toBe(
    'waiting for job_1: npm run dev \\x1b[31m\njob_1: exit 3, 2 left\n',
  );
});
