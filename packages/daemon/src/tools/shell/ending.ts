/** Decides what an ending of a command is called, in the result and in its head line. */
import { sayGoesOn, sayLeftAlive } from '@zerd/core/jobs/say';
import type { ToolOutcome } from '@zerd/protocol/common/event';
import type { JobId } from '@zerd/protocol/common/ids';
import type { CommandEnd } from '../../base/job-ports.ts';

export type Ending =
  | { readonly kind: 'ended'; readonly end: CommandEnd }
  /** It still runs, in the background from now on. */
  | { readonly kind: 'goesOn'; readonly afterMs: number }
  | { readonly kind: 'timedOut'; readonly timeoutMs: number }
  | { readonly kind: 'interrupted' };

export function outcomeOf(ending: Ending): Extract<ToolOutcome, 'ok' | 'failed' | 'interrupted'> {
  if (ending.kind === 'interrupted') return 'interrupted';
  if (ending.kind === 'goesOn') return 'ok';
  return ending.kind === 'ended' && ending.end.exitCode === 0 ? 'ok' : 'failed';
}

/** Undefined: it ended well, and there is nothing to say. */
export function describeEnding(ending: Ending, jobId: JobId): string | undefined {
  switch (ending.kind) {
    case 'interrupted':
      return 'interrupted by the user, killed';
    case 'timedOut':
      return `timed out after ${ending.timeoutMs} ms, killed`;
    case 'goesOn':
      return sayGoesOn(jobId, ending.afterMs);
    case 'ended':
      return describeEnd(ending.end, jobId);
  }
}

function describeEnd(end: CommandEnd, jobId: JobId): string | undefined {
  const left = end.alive === undefined ? [] : [sayLeftAlive(jobId, end.alive)];
  const parts = [...howOf(end), ...left];
  return parts.length === 0 ? undefined : parts.join('; ');
}

function howOf({ outcome, exitCode, signal, reason, alive }: CommandEnd): readonly string[] {
  if (outcome === 'exited') return exitCode === 0 && alive === undefined ? [] : [`exit ${exitCode}`];
  if (outcome === 'killed') return [`killed by ${signal ?? 'a signal'}`];
  return [`how it ended is not known${reason === undefined ? '' : `: ${reason}`}`];
}
