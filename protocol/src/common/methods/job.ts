/** Rows of commands that run in the background. */
import { z } from 'zod';
import { jobIdSchema, sessionIdSchema } from '../ids.ts';
import { jobReadParams, jobReadResult, jobSchema } from '../job-shapes.ts';
import { request } from './row.ts';

export const jobMethods = {
  'job/list': request(
    'none',
    'Lists the commands that run in the background, and those that ended since the daemon began.',
    z.strictObject({ sessionId: sessionIdSchema.optional().describe('Absent: of all sessions.') }),
    z.object({ jobs: z.array(jobSchema) }),
  ),
  'job/read': request(
    'none',
    'Reads the output of a job from `offset` on, while it runs and after its end.',
    jobReadParams,
    jobReadResult,
  ),
  'job/stop': request(
    'none',
    'Ends a job and all that it started, within five seconds.',
    z.strictObject({ jobId: jobIdSchema }),
    z.object({
      stopped: z
        .boolean()
        .describe(
          'Nothing of it is left. False: what is left is ended as soon as it can be; `daemon/doctor` names it.',
        ),
    }),
  ),
  'job/write': request(
    'none',
    'Writes to a job that reads from `$JOB_INPUT`. Other commands have no input.',
    z.strictObject({ jobId: jobIdSchema, text: z.string() }),
    z.object({ written: z.boolean(), why: z.string().optional().describe('Why nothing was written.') }),
  ),
} as const;
