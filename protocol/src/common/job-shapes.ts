/** Commands in the background, as clients see them. */
import { z } from 'zod';
import { jobIdSchema, sessionIdSchema } from './ids.ts';
import { jobOutcomeSchema } from './work-events.ts';

export const jobSchema = z
  .object({
    jobId: jobIdSchema,
    sessionId: sessionIdSchema,
    command: z.string(),
    startedAt: z.int().describe('Milliseconds of the epoch.'),
    outcome: jobOutcomeSchema.optional().describe('Absent: it runs.'),
    exitCode: z.int().optional(),
    signal: z.string().optional(),
    durationMs: z.int().optional(),
    reason: z.string().optional(),
    alive: z.int().optional().describe('Processes that it started and that outlive it.'),
    bytes: z.int().describe('Of its output so far.'),
  })
  .describe('A command in the background.');
export type JobRow = z.infer<typeof jobSchema>;

export const runningJobs = z.array(jobSchema).optional().describe('Its jobs that run.');

export const jobReadParams = z.strictObject({
  jobId: jobIdSchema,
  offset: z.int().nonnegative().optional().describe('In bytes; absent: from the beginning.'),
  limit: z.int().positive().optional().describe('In bytes.'),
});

export const jobReadResult = z.object({
  job: jobSchema,
  text: z.string(),
  offset: z.int().describe('Of `text`: later than asked when what was before is no longer kept.'),
  bytes: z.int(),
  totalBytes: z.int().describe('Of all output so far.'),
});
