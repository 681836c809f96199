/** The port of commands: how tools start them, and how everybody reaches those that go on in the background. */
import type { SessionState } from '@zerd/core/session/state';
import type { CallId, JobId, SessionId, TurnId } from '@zerd/protocol/common/ids';
import type { JobOutcome } from '@zerd/protocol/common/work-events';

/** Text in memory, or a spool file on the archive's file system with what of it is worth looking at. */
export type CommandOutput =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'spool';
      readonly file: string;
      /** Decoded beginning and end; together at most 2 MiB. An empty `tailText`: the head is everything. */
      readonly headText: string;
      readonly tailText: string;
      /** What the command wrote, also what no longer fits in the file. */
      readonly totalBytes: number;
      readonly totalLines: number;
    };

/** A command of a call, as it is to begin. */
export interface CommandWish {
  readonly sessionId: SessionId;
  readonly turnId: TurnId;
  readonly callId: CallId;
  readonly command: string;
  readonly cwd: string;
  /** The environment of the session's client. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

/** How a command ended. */
export interface CommandEnd {
  readonly outcome: JobOutcome;
  readonly exitCode?: number | undefined;
  readonly signal?: string | undefined;
  readonly durationMs?: number | undefined;
  /** Processes that it started and that outlive it; absent: none. */
  readonly alive?: number | undefined;
  readonly reason?: string | undefined;
}

/** Its folder goes when the log has a result for its call that names no job. */
export interface RunningCommand {
  readonly jobId: JobId;
  /** Settles when it ended by itself and what it wrote has arrived, or when nothing more will be known of it. */
  readonly ended: Promise<CommandEnd>;
  /** Ends all that it started; true: nothing is left. Takes 5 s at most, and never rejects. */
  end(): Promise<boolean>;
  /** The newest of what it wrote from `offset` on, at most `most` bytes, before `output` was called. */
  written(
    offset: number,
    most: number,
  ): Promise<{ readonly bytes: Uint8Array; readonly offset: number; readonly totalBytes: number }>;
  /** What it wrote until now. Once. */
  output(): Promise<CommandOutput>;
  /** It goes on in the background, as a job from the moment at which the log says so. */
  keep(): void;
}

export type StartedCommand =
  | { readonly ok: true; readonly command: RunningCommand }
  | { readonly ok: false; readonly code: string };

/** A command in the background. */
export interface Job {
  readonly jobId: JobId;
  readonly sessionId: SessionId;
  readonly callId: CallId;
  readonly command: string;
  readonly startedAt: number;
  /** Undefined: it runs. */
  readonly end: CommandEnd | undefined;
  /** Of its output so far. */
  readonly bytes: number;
  /** Processes of a job that ended which live; known when it was last looked at. */
  readonly alive: number;
}

/** Processes of a command of which nothing is kept: they could not be ended, and are tried again. */
export interface LeftProcesses {
  readonly jobId: JobId;
  /** Milliseconds of the epoch. */
  readonly sinceAt: number;
  readonly pids: readonly number[];
}

export type JobWritten = 'written' | 'ended' | 'takes no input' | 'is not reading';

/** The commands of this repository's sessions, in front and in the background. They outlive the daemon. */
export interface Jobs {
  start(wish: CommandWish): Promise<StartedCommand>;
  /** Those that run, and those that ended since the daemon began. */
  list(sessionId?: SessionId): readonly Job[];
  find(jobId: string): Job | undefined;
  running(): number;
  /** Bytes of its output from `offset` on, at most `limit`; undefined: there is no such job. */
  read(
    jobId: JobId,
    offset: number,
    limit: number,
  ): Promise<{ readonly bytes: Uint8Array; readonly offset: number; readonly totalBytes: number } | undefined>;
  /** What it wrote that the model was not shown yet; from now on it counts as shown. */
  news(jobId: JobId): Promise<string>;
  /** Settles when it has ended and the log has it. */
  ended(jobId: JobId): Promise<void>;
  /** Ends all that it started; true: nothing is left. What is left is tried again: see `left`. */
  stop(jobId: JobId, reason: string): Promise<boolean>;
  write(jobId: JobId, text: string): Promise<JobWritten>;
  /** The session has ended: so do its commands, and nothing is kept of them (P082). True: nothing is left; else see `left`. */
  stopOf(sessionId: SessionId): Promise<boolean>;
  left(): readonly LeftProcesses[];
  /** After a start, before anything else: finds again what an earlier daemon began. `stateOf`: a fold that is at hand. */
  adopt(stateOf?: (sessionId: SessionId) => SessionState): Promise<void>;
  /** What an earlier daemon began for this call, which has no result: it goes on, or its end waits to be told. */
  jobOfCall(sessionId: SessionId, callId: CallId): Pick<Job, 'jobId' | 'command'> | undefined;
  /** Lets go of all of them: they run on. */
  close(): Promise<void>;
}

/** The commands of one call, as its tool sees them. */
export interface CallCommands {
  /** How long a command may run before it goes on in the background. */
  readonly afterMs: number;
  start(command: string, timeoutMs?: number): Promise<StartedCommand>;
  /** The jobs of its session. */
  list(): readonly Job[];
  readonly jobs: Pick<Jobs, 'news' | 'ended' | 'stop' | 'write'>;
}
