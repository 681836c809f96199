/**
 * Does: before a request, tells the model of the jobs that have ended since it last heard of them: how, and what they
 * wrote that it was not shown, within the cap of a command's output.
 */
import { admit } from '@zerd/core/context/admit/admit';
import { type EndedJob, jobsEnded, untoldEnds } from '@zerd/core/jobs/tell-ends';
import type { JobId } from '@zerd/protocol/common/ids';
import type { TurnContext } from './turn-context.ts';

const leastBytes = 1_000;

export async function remindOfJobs(turn: TurnContext): Promise<void> {
  const ends = untoldEnds(turn.state());
  const news = new Map<JobId, string>();
  for (const end of ends) news.set(end.jobId, shownOf(turn, end, ends.length, await turn.jobs.news(end.jobId)));
  const reminder = jobsEnded(turn.turnId, ends, news);
  if (reminder !== undefined) await turn.append([reminder]);
}

function shownOf({ caps }: TurnContext, { finished }: EndedJob, among: number, text: string): string {
  if (text === '') return '';
  const failed = finished.exitCode !== 0;
  const cap = Math.max(leastBytes, Math.floor((failed ? caps.failingShell : caps.shell) / among));
  const bounded = { ...caps, shell: cap, failingShell: cap };
  return admit({ tool: 'shell', failed, body: { kind: 'text', text }, archiveId: finished.archiveId, caps: bounded })
    .shown;
}
