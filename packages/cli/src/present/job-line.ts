/** A job in a few words, for people. */
import { jobOutcome } from '@zerd/protocol/common/job-outcome';
import type { JobRow } from '@zerd/protocol/common/job-shapes';
import { sanitiseLine } from '@zerd/protocol/common/sanitise';

/** 'running', 'exit 1', 'killed by SIGTERM', 'stopped' */
export function jobState(job: JobRow): string {
  const left = job.alive === undefined || job.outcome === undefined ? '' : `, ${job.alive} left`;
  return `${jobOutcome(job) ?? 'running'}${left}`;
}

const mostChars = 100;

/** One line, also when the command has several. */
export function jobCommand({ command }: Pick<JobRow, 'command'>): string {
  const line = sanitiseLine(command.replace(/\s+/g, ' ').trim());
  return line.length > mostChars ? `${line.slice(0, mostChars - 1)}…` : line;
}
