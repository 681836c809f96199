/** What the exit status of `zerd` says. Scripts rely on it: a number never changes its meaning. */
import type { TurnOutcome } from '@zerd/protocol/common/event';

export const exitCode = {
  done: 0,
  failed: 1,
  usage: 2,
  limit: 3,
  /** Someone must answer a question or say that the repository is trusted. */
  needsAnswer: 4,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

export function exitCodeOfOutcome(outcome: TurnOutcome): ExitCode {
  switch (outcome) {
    case 'done':
      return exitCode.done;
    case 'failed':
      return exitCode.failed;
    case 'limit':
      return exitCode.limit;
    case 'needs-answer':
      return exitCode.needsAnswer;
    case 'interrupted':
      return exitCode.interrupted;
  }
}

/** Of a failure by its code in the error table, or of anything else. */
export function exitCodeOfError(code: string | undefined): ExitCode {
  if (code === 'untrusted') return exitCode.needsAnswer;
  return code === 'limit_reached' ? exitCode.limit : exitCode.failed;
}
