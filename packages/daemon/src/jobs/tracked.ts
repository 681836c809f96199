/** A command as the daemon follows it: what was written down of it, and what of it the log knows. */
import type { CommandEnd } from '../base/job-ports.ts';
import type { EndedRecord, StartedRecord } from '../processes/host/orders.ts';
import type { ProcessTree } from '../processes/process-tree.ts';
import type { JobRecord } from './folder.ts';

export interface Tracked {
  readonly record: JobRecord;
  readonly folder: string;
  started: StartedRecord | undefined;
  ended: EndedRecord | undefined;
  /** Nothing that it started is left. */
  gone: boolean;
  /** `call`: its call has no result yet; `job`: it goes on in the background; `over`: the log knows its end. */
  phase: 'call' | 'job' | 'over';
  /** It is over when nothing is left of it: its shell had ended before it went on as a job. */
  untilGone: boolean;
  /** The log says that it goes on as a job. */
  inLog: boolean;
  /** Who ended it, and why. */
  stopped: { readonly outcome: 'stopped' | 'timedOut'; readonly reason?: string } | undefined;
  end: CommandEnd | undefined;
  archiveId: string | undefined;
  /** Bytes of its output that the model was shown. */
  shown: number;
  bytes: number;
  /** Living processes when it was last looked at. */
  alive: number;
  /** Settles with how it ended, as far as its call is concerned. */
  readonly settled: Deferred<CommandEnd>;
  /** Settles when the log knows its end. */
  readonly logged: Deferred<void>;
  /** Somebody waits for its end, or has. */
  isWaitedFor: boolean;
  /** Its end is being written. */
  finishing: boolean;
  /** Its host lives or not: it writes nothing down of this one any more. */
  unwatched: boolean;
  /** Shown while its host waits for room on the disk. */
  waitsForRoom: Disposable | undefined;
}

export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
}

export function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

export function track(record: JobRecord, folder: string): Tracked {
  return {
    record,
    folder,
    started: undefined,
    ended: undefined,
    gone: false,
    phase: 'call',
    untilGone: false,
    inLog: false,
    stopped: undefined,
    end: undefined,
    archiveId: undefined,
    shown: 0,
    bytes: 0,
    alive: 0,
    settled: deferred(),
    logged: deferred(),
    isWaitedFor: false,
    finishing: false,
    unwatched: false,
    waitsForRoom: undefined,
  };
}

export function treeOf({ record, started }: Tracked): ProcessTree {
  const mark = `${markName}=${record.mark}`;
  return { pid: started?.pid, startedAt: started?.startedAt, mark, held: started?.held };
}

/** Opens nothing and names nobody: it only tells whose a process is. */
export const markName = 'SHELL_MARK';

export function endOf({ ended, stopped }: Tracked, alive: number): CommandEnd {
  const left = alive > 0 ? { alive } : {};
  if (stopped !== undefined) return { ...stopped, ...(ended ? { durationMs: ended.durationMs } : {}), ...left };
  if (ended === undefined) return { outcome: 'lost', ...left };
  const { code, signal, durationMs } = ended;
  if (code !== null) return { outcome: 'exited', exitCode: code, durationMs, ...left };
  return { outcome: 'killed', durationMs, ...(signal === null ? {} : { signal }), ...left };
}

/** As a job: with its shell, or with the last that this left behind where it went on as a job only then. */
export function isOver({ untilGone, gone, ended }: Tracked): boolean {
  return gone || (!untilGone && ended !== undefined);
}

export function noteEnd(tracked: Tracked, ended: EndedRecord): void {
  tracked.ended = ended;
  tracked.bytes = ended.output.bytes;
  tracked.alive = ended.alive;
  tracked.gone ||= ended.alive === 0;
}
