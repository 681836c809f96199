/** Words for commands that run in the background: what the model and people are told of their beginning and end. */
import type { JobId } from '@zerd/protocol/common/ids';
import type { JobOutcome } from '@zerd/protocol/common/work-events';

export interface JobEnd {
  readonly outcome: JobOutcome;
  readonly exitCode?: number | undefined;
  readonly signal?: string | undefined;
  readonly durationMs?: number | undefined;
  /** Processes that it started and that outlive it. */
  readonly alive?: number | undefined;
  readonly reason?: string | undefined;
}

/** P080: what happens next is said, so that nobody polls. */
export function sayGoesOn(jobId: JobId, afterMs: number): string {
  return `still running after ${sayDuration(afterMs)}: it goes on as ${jobId}, and you will be told when it ends`;
}

/** P076: the shell has ended, and what it started has not. */
export function sayLeftAlive(jobId: JobId, alive: number): string {
  return `${sayAlive(alive)} and ${alive === 1 ? 'goes' : 'go'} on as ${jobId}; you will be told when ${alive === 1 ? 'it ends' : 'they end'}`;
}

export function sayEnd(jobId: JobId, end: JobEnd): string {
  const after = end.durationMs === undefined ? '' : ` after ${sayDuration(end.durationMs)}`;
  const alive = end.alive ? `; ${sayAlive(end.alive)}` : '';
  return `${jobId} ended${after}: ${howOf(end)}${alive}`;
}

function howOf({ outcome, exitCode, signal, reason }: JobEnd): string {
  const because = reason === undefined ? '' : ` (${reason})`;
  switch (outcome) {
    case 'exited':
      return `exit ${exitCode ?? 'status unknown'}${because}`;
    case 'killed':
      return `killed by ${signal ?? 'a signal'}${because}`;
    case 'stopped':
      return `stopped${because}`;
    case 'timedOut':
      return `timed out, killed${because}`;
    case 'lost':
      return `how is not known${because}`;
  }
}

function sayAlive(alive: number): string {
  return alive === 1 ? '1 process that it started is alive' : `${alive} processes that it started are alive`;
}

/** '850 ms', '15 s', '3 min 20 s', '2 h 5 min' */
export function sayDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const [large, small, units] =
    seconds < 3_600
      ? [Math.floor(seconds / 60), seconds % 60, ['min', 's']]
      : [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60), ['h', 'min']];
  return small === 0 ? `${large} ${units[0]}` : `${large} ${units[0]} ${small} ${units[1]}`;
}

/** One line, for lists: control characters of a command do not break it. */
export function sayCommand(command: string, most = 120): string {
  const line = command.replace(/\p{Cc}+/gu, ' ').trim();
  return line.length <= most ? line : `${line.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
