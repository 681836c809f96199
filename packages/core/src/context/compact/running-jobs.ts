/** The jobs that run, a line each, for a summary: the model has to know what it left running. */
import type { LoggedEvent } from '@zerd/protocol/common/event';
import { sayCommand } from '../../jobs/say.ts';
import { utf8Length } from '../../text/utf8.ts';

export function tellRunningJobs(events: readonly LoggedEvent[], bytes: number): string {
  const running = new Map<string, string>();
  for (const { event } of events) {
    if (event.kind === 'job.started') running.set(event.jobId, `${event.jobId} runs: ${sayCommand(event.command)}`);
    if (event.kind === 'job.finished') running.delete(event.jobId);
  }
  let left = bytes;
  // The newest are the likeliest to be asked for.
  const fitting = [...running.values()].reverse().filter((line) => {
    left -= utf8Length(line) + 1;
    return left >= 0;
  });
  return fitting.reverse().join('\n');
}
