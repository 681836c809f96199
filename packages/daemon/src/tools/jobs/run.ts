/**
 * Does: shows and steers the commands of this session that run in the background. Invariant: a wait has an end, an
 * interrupt ends it too, and it ends no job; what was shown of an output is not shown again.
 */
import { sayCommand, sayDuration, sayEnd } from '@zerd/core/jobs/say';
import type { ToolInput } from '@zerd/core/tools/declarations';
import type { Job } from '../../base/job-ports.ts';
import type { ToolContext, ToolResult, ToolRun } from '../../base/ports.ts';
import { failed, interrupted } from '../../base/tool-answer.ts';
import { settlesWithin } from '../../processes/settles-within.ts';

const usualWaitMs = 60_000;
const mostWaitMs = 10 * 60_000;

export const run: ToolRun<'jobs'> = async (input, context) => {
  const { commands } = context;
  if (input.action === 'list') return said(commands.list().map(describe(context)).join('\n') || 'No jobs.');
  if (input.action === 'wait' && input.id === undefined) return waitForAny(input.timeoutMs, context);
  const job =
    input.id === undefined ? theOnly(commands.list()) : commands.list().find(({ jobId }) => jobId === input.id);
  if (job === undefined) return failed(`There is no such job here; nothing was done. ${known(commands.list())}`);
  return act(input, job, context);
};

async function act(input: ToolInput<'jobs'>, job: Job, context: ToolContext): Promise<ToolResult> {
  const { jobs } = context.commands;
  switch (input.action) {
    case 'wait':
      return waitFor([job], input.timeoutMs, context);
    case 'tail':
      return withNews(job, context);
    case 'stop': {
      const gone = await jobs.stop(job.jobId, 'asked by the model');
      await settlesWithin(jobs.ended(job.jobId), 2_000, context.clock);
      return gone ? withNews(job, context) : failed(`${job.jobId}: some of its processes could not be ended.`);
    }
    case 'write':
      return write(job, input.text ?? '', context);
    default:
      return failed('Nothing was done: unknown action.');
  }
}

function waitForAny(timeoutMs: number | undefined, context: ToolContext): Promise<ToolResult> | ToolResult {
  const running = context.commands.list().filter(({ end }) => end === undefined);
  return running.length === 0 ? said('No job runs.') : waitFor(running, timeoutMs, context);
}

async function waitFor(jobs: readonly Job[], timeoutMs: number | undefined, context: ToolContext): Promise<ToolResult> {
  const { signal, clock, commands } = context;
  const limit = Math.min(timeoutMs ?? usualWaitMs, mostWaitMs);
  const ended = Promise.race(jobs.map(({ jobId }) => commands.jobs.ended(jobId)));
  const stop = new AbortController();
  const aborted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true, signal: stop.signal });
  });
  await settlesWithin(Promise.race([ended, aborted]), limit, clock);
  stop.abort();
  if (signal.aborted) return interrupted('Interrupted while waiting; the jobs run on.');
  const now = jobs.map(({ jobId }) => commands.list().find((job) => job.jobId === jobId));
  const over = now.find((job) => job?.end !== undefined) ?? (now.length === 1 ? now[0] : undefined);
  if (over !== undefined) return withNews(over, context);
  return said(`Still running after ${sayDuration(limit)}: ${jobs.map(({ jobId }) => jobId).join(', ')}`);
}

/** How it stands, and what it wrote that was not shown yet. */
async function withNews({ jobId }: Job, context: ToolContext): Promise<ToolResult> {
  const text = await context.commands.jobs.news(jobId);
  const now = context.commands.list().find((job) => job.jobId === jobId);
  const head = now === undefined ? `${jobId} is gone` : stateOf(now, context);
  return { outcome: 'ok', head, body: { kind: 'text', text: text || '(no new output)' } };
}

async function write({ jobId }: Job, text: string, { commands }: ToolContext): Promise<ToolResult> {
  switch (await commands.jobs.write(jobId, text)) {
    case 'written':
      return said(`Written to ${jobId}.`);
    case 'ended':
      return failed(`${jobId} has ended; nothing was written.`);
    case 'takes no input':
      return failed(
        `${jobId} has no input; nothing was written. A command that is to be written to must read "$JOB_INPUT": start it as \`command < "$JOB_INPUT"\`.`,
      );
    case 'is not reading':
      return failed(`Nothing of ${jobId} reads "$JOB_INPUT" now; nothing was written.`);
  }
}

function describe(context: ToolContext): (job: Job) => string {
  return (job) => `${stateOf(job, context)}: ${sayCommand(job.command)}`;
}

function stateOf(job: Job, { clock }: ToolContext): string {
  if (job.end !== undefined) return sayEnd(job.jobId, { ...job.end, alive: job.alive });
  return `${job.jobId} running for ${sayDuration(Math.max(0, clock.wall() - job.startedAt))}`;
}

/** Without an id: the one that runs, if there is one. */
function theOnly(jobs: readonly Job[]): Job | undefined {
  const running = jobs.filter(({ end }) => end === undefined);
  return running.length === 1 ? running[0] : undefined;
}

function known(jobs: readonly Job[]): string {
  return jobs.length === 0 ? 'There are no jobs.' : `Jobs: ${jobs.map(({ jobId }) => jobId).join(', ')}`;
}

function said(text: string): ToolResult {
  return { outcome: 'ok', body: { kind: 'text', text } };
}
