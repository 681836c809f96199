/**
 * Decides which ends of jobs the model has not heard of, and words the reminder. Invariants: an end is told once, by the
 * reminder or by a result of `jobs` that is still in the transcript; all ends are one reminder, within a bound.
 */
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { JobId, TurnId } from '@zerd/protocol/common/ids';
import type { JobState, SessionState } from '../session/state.ts';
import { sayCommand, sayEnd } from './say.ts';

export type EndedJob = JobState & { readonly finished: NonNullable<JobState['finished']> };

/** More are told with the next request. */
const mostJobs = 10;

export function untoldEnds({ jobs, items }: SessionState): readonly EndedJob[] {
  const ended = [...jobs.values()].filter((job): job is EndedJob => job.finished !== undefined && !job.told);
  const results = items.flatMap((item) => (item.kind === 'toolResult' && item.name === 'jobs' ? [item.shown] : []));
  return ended.filter(({ jobId }) => !results.some((shown) => shown.includes(`${jobId} ended`))).slice(0, mostJobs);
}

type Reminder = Extract<SessionEvent, { kind: 'reminder.added' }>;

/** `news`: what each wrote that was not shown yet, within its cap. Undefined: there is nothing to tell. */
export function jobsEnded(
  turnId: TurnId,
  ends: readonly EndedJob[],
  news: ReadonlyMap<JobId, string>,
): Reminder | undefined {
  if (ends.length === 0) return undefined;
  const text = ends.map((end) => tellOne(end, news.get(end.jobId) ?? '')).join('\n\n');
  const jobIds = ends.map(({ jobId }) => jobId);
  return { kind: 'reminder.added', turnId, text, about: { kind: 'jobsEnded', jobIds } };
}

function tellOne({ jobId, command, finished }: EndedJob, news: string): string {
  const head = `${sayEnd(jobId, finished)}. Command: ${sayCommand(command)}`;
  const where = finished.archiveId === undefined ? '' : ` [whole output: recall ${finished.archiveId.slice(0, 12)}]`;
  return news === '' ? `${head}${where}` : `${head}${where}\nNew output:\n${news}`;
}
