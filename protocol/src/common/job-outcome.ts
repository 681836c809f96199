/** How a command in the background ended, in a few words for people. */
import type { JobRow } from './job-shapes.ts';

/** 'exit 1', 'killed by SIGTERM', 'timed out', 'stopped', 'lost'; undefined: it runs. */
export function jobOutcome({ outcome, exitCode, signal }: JobRow): string | undefined {
  switch (outcome) {
    case 'exited':
      return `exit ${exitCode ?? '?'}`;
    case 'killed':
      return `killed by ${signal ?? 'a signal'}`;
    case 'timedOut':
      return 'timed out';
    default:
      return outcome;
  }
}
