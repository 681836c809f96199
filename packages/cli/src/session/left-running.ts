/**
 * What a run leaves behind: jobs that go on when its turn has ended. They are named, or waited for when that was asked.
 */
import { isZerdError } from '@zerd/protocol/common/errors';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { JobRow } from '@zerd/protocol/common/job-shapes';
import type { ZerdClient } from '@zerd/protocol/node/client';
import type { Context } from '../command.ts';
import { jobCommand, jobState } from '../present/job-line.ts';

const lookMs = 250;

/** Never rejects for what is expected: the turn has ended, and that is what counts. `connect`: that of the turn is closed. */
export async function tellJobs(
  connect: () => Promise<Pick<ZerdClient, 'request' | 'close'>>,
  sessionId: SessionId,
  wait: boolean,
  { terminal, clock }: Pick<Context, 'terminal' | 'clock'>,
): Promise<void> {
  try {
    const client = await connect();
    const list = async () => (await client.request('job/list', { sessionId })).jobs;
    try {
      const left = (await list()).filter(({ outcome }) => outcome === undefined);
      if (wait) await untilEnded(left, list, { terminal, clock });
      else for (const line of linesOf(left)) terminal.err(`${line}\n`);
    } finally {
      client.close();
    }
  } catch (error) {
    // A daemon of an older build has no jobs; one that cannot be reached says so with the next command.
    if (!isZerdError(error)) throw error;
  }
}

function linesOf(left: readonly JobRow[]): readonly string[] {
  const [first] = left;
  if (first === undefined) return [];
  const see = `See it: zerd jobs tail -f ${first.jobId}. End it: zerd jobs stop ${first.jobId}`;
  return [...left.map((job) => `${job.jobId} goes on: ${jobCommand(job)}`), see];
}

async function untilEnded(
  left: readonly JobRow[],
  list: () => Promise<readonly JobRow[]>,
  { terminal, clock }: Pick<Context, 'terminal' | 'clock'>,
): Promise<void> {
  for (const job of left) terminal.err(`waiting for ${job.jobId}: ${jobCommand(job)}\n`);
  const open = new Set(left.map(({ jobId }) => jobId));
  while (open.size > 0) {
    await clock.sleep(lookMs);
    for (const job of await list()) {
      if (job.outcome === undefined || !open.delete(job.jobId)) continue;
      terminal.err(`${job.jobId}: ${jobState(job)}\n`);
    }
  }
}
