/** A job in a few words, for people. */
import type { JobRow } from '@zerd/protocol/common/job-shapes';
import { sanitiseLine } from '@zerd/protocol/common/sanitise';

/** 'running', 'exit 1', 'killed by SIGTERM', 'stopped' */
export function jobState({ outcome, exitCode, signal, alive }: JobRow): string {
  const left = alive === undefined || outcome === undefined ? '' : `, ${alive} left`;
  return `${stateWord(outcome, exitCode, signal)}${left}`;
}

function stateWord(outcome: JobRow['outcome'], exitCode: number | undefined, signal: string | undefined): string {
  switch (outcome) {
    case undefined:
      return 'running';
    case 'exited':
      return `exit ${exitCode ?? '?'}`;
    case 'killed':
      return `killed by ${signal ?? 'a signal'}`;
    case 'timedOut':
      return 'timed out';
    case 'stopped':
    case 'lost':
      return outcome;
  }
}

const mostChars = 100;

/** One line, also when the command has several. */
export function jobCommand({ command }: Pick<JobRow, 'command'>): string {
  const line = sanitiseLine(command.replace(/\s+/g, ' ').trim());
  return line.length > mostChars ? `${line.slice(0, mostChars - 1)}…` : line;
}
