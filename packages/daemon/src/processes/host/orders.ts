/** What a daemon and its host of commands say to each other: one JSON object a line. */
import type { OutputCount } from '../output-file.ts';

export type Order =
  | {
      readonly kind: 'start';
      readonly jobId: string;
      /** Private, and empty but for what the daemon wrote. */
      readonly folder: string;
      readonly command: string;
      readonly cwd: string;
      /** All of its environment. */
      readonly env: Readonly<Record<string, string>>;
      /** A pipe is made from which it may read what people and models write to it. */
      readonly input: boolean;
    }
  /** Nobody waits for it any more: a runaway writer is slowed down. */
  | { readonly kind: 'background'; readonly jobId: string };

export type Report =
  | { readonly kind: 'started'; readonly jobId: string; readonly started: StartedRecord }
  | { readonly kind: 'failed'; readonly jobId: string; readonly code: string }
  | { readonly kind: 'ended'; readonly jobId: string; readonly ended: EndedRecord }
  /** Nothing that it started is left. */
  | { readonly kind: 'gone'; readonly jobId: string }
  /** What is to be kept of it waits for room on the disk, or no longer. */
  | { readonly kind: 'room'; readonly jobId: string; readonly full: boolean };

/** Which process it is, so that it is known again (F-23). */
export interface StartedRecord {
  readonly pid: number;
  readonly startedAt: number;
  readonly bootId: string;
  readonly host: { readonly pid: number; readonly startedAt: number };
  /** The file that all it starts has open. */
  readonly held?: string | undefined;
}

export interface EndedRecord {
  readonly code: number | null;
  readonly signal: string | null;
  /** Milliseconds of the epoch. */
  readonly at: number;
  readonly durationMs: number;
  /** Processes that it started and that live. */
  readonly alive: number;
  /** Nothing writes to its output any more. */
  readonly closed: boolean;
  readonly output: OutputCount;
}

/** The files of a job's folder beside its output. `gone`: what lived when it ended has ended too. */
export const recordNames = { job: 'job.json', started: 'started.json', ended: 'ended.json', gone: 'gone', input: 'in' };
