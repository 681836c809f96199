/**
 * The commands that go on in the background, as a part of the fold. Invariant: a job ends once, and the end of one that
 * never began changes nothing.
 */
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { JobId } from '@zerd/protocol/common/ids';
import type { JobState } from './state.ts';

type EventOf<K extends SessionEvent['kind']> = Extract<SessionEvent, { kind: K }>;
type Jobs = ReadonlyMap<JobId, JobState>;
type Entries = readonly (readonly [JobId, JobState])[];

export function startJob({ jobId, callId, command }: EventOf<'job.started'>, at: number): Entries {
  return [[jobId, { jobId, callId, command, startedAt: at, finished: undefined, told: false }]];
}

export function finishJob(jobs: Jobs, event: EventOf<'job.finished'>, at: number): Entries {
  const job = jobs.get(event.jobId);
  if (job === undefined || job.finished !== undefined) return [];
  return [[event.jobId, { ...job, finished: { ...event, at } }]];
}

/** The model knows that these are over. */
export function tellJobs(jobs: Jobs, jobIds: readonly JobId[]): Entries {
  return jobIds.flatMap((jobId) => {
    const job = jobs.get(jobId);
    return job === undefined ? [] : [[jobId, { ...job, told: true }] as const];
  });
}
