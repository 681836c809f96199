/**
 * A few worker threads that take tasks in order. Invariant: every task settles: with its result, or with a failure when
 * its thread dies, its deadline passes or it is given up; an idle pool holds no thread.
 */
import { Worker } from 'node:worker_threads';
import { type Clock, systemClock } from '@zerd/protocol/node/clock';
import { runTask, type TaskKind, type TaskOf, type TaskResults } from './tasks.ts';
import type { Order, Reply } from './worker.ts';

export interface RunOptions {
  readonly signal?: AbortSignal;
  /** From its start in the thread; absent: it may take any time as long as it gets further. */
  readonly deadlineMs?: number;
  readonly onProgress?: (files: number, bytes: number) => void;
}

export interface Pool {
  readonly size: number;
  run<K extends TaskKind>(kind: K, task: TaskOf<K>, options?: RunOptions): Promise<TaskResults[K]>;
  /** Ends the threads; what runs fails. They come back with the next task. */
  release(): void;
}

/** How long a task without a deadline may say nothing before its thread is taken for one that hangs. */
export const silentMs = 15 * 60_000;

/** Its thread was ended because it took too long. */
export class TaskExpired extends Error {}

export interface PoolOptions {
  readonly size: number;
  readonly file: URL | string;
  readonly clock?: Clock;
  /** Called for each thread, for what the pool's owner wants to say of it. */
  readonly heapMb?: number;
}

interface Job {
  readonly order: Order;
  readonly options: RunOptions;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

interface Thread {
  readonly worker: Worker;
  job: Job | undefined;
  timer: Disposable | undefined;
  /** Stops listening for the job's signal. */
  deafen: (() => void) | undefined;
}

export function createPool({ size, file, clock = systemClock, heapMb = 512 }: PoolOptions): Pool {
  const threads = new Set<Thread>();
  const waiting: Job[] = [];
  let lastId = 0;

  function schedule(): void {
    while (waiting.length > 0) {
      const idle =
        [...threads].find((thread) => thread.job === undefined) ?? (threads.size < size ? start() : undefined);
      if (idle === undefined) return;
      const job = waiting.shift();
      if (job === undefined) return;
      if (job.options.signal?.aborted === true) job.reject(job.options.signal.reason);
      else give(idle, job);
    }
  }

  function start(): Thread {
    const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: heapMb }, execArgv: [], env: {} });
    const thread: Thread = { worker, job: undefined, timer: undefined, deafen: undefined };
    worker.on('message', (reply: Reply) => hear(thread, reply));
    worker.on('error', (error) => drop(thread, error));
    worker.on('exit', () => drop(thread, new Error('a search thread ended')));
    worker.unref();
    threads.add(thread);
    return thread;
  }

  function give(thread: Thread, job: Job): void {
    thread.job = job;
    const { deadlineMs, signal } = job.options;
    expireAfter(thread, deadlineMs ?? silentMs);
    const onAbort = () => end(thread, signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    thread.deafen = () => signal?.removeEventListener('abort', onAbort);
    thread.worker.ref();
    thread.worker.postMessage(job.order);
  }

  function expireAfter(thread: Thread, ms: number): void {
    thread.timer?.[Symbol.dispose]();
    thread.timer = clock.setTimer(ms, () => end(thread, new TaskExpired('a search took too long')));
  }

  function hear(thread: Thread, reply: Reply): void {
    const { job } = thread;
    if (job === undefined || job.order.id !== reply.id) return;
    if (reply.kind === 'progress') {
      if (job.options.deadlineMs === undefined) expireAfter(thread, silentMs);
      job.options.onProgress?.(reply.files, reply.bytes);
      return;
    }
    free(thread);
    if (reply.kind === 'done') job.resolve(reply.result as never);
    else job.reject(new Error(reply.message));
    schedule();
  }

  function free(thread: Thread): void {
    thread.job = undefined;
    thread.timer?.[Symbol.dispose]();
    thread.timer = undefined;
    thread.deafen?.();
    thread.deafen = undefined;
    thread.worker.unref();
  }

  function end(thread: Thread, error: unknown): void {
    drop(thread, error);
    void thread.worker.terminate();
  }

  function drop(thread: Thread, error: unknown): void {
    if (!threads.delete(thread)) return;
    const { job } = thread;
    free(thread);
    job?.reject(error);
    schedule();
  }

  return {
    size,
    run(kind, task, options = {}) {
      lastId += 1;
      const order = { id: lastId, task: { kind, task } as Order['task'] };
      return new Promise((resolve, reject) => {
        waiting.push({ order, options, resolve, reject });
        schedule();
      });
    },
    release() {
      for (const job of waiting.splice(0)) job.reject(new Error('the search was given up'));
      for (const thread of [...threads]) end(thread, new Error('the search was given up'));
    },
  };
}

/** Tasks in this thread, one at a time: where no thread can be started. */
export function createInlinePool(): Pool {
  return {
    size: 1,
    async run(kind, task, { signal, onProgress } = {}) {
      await Promise.resolve();
      signal?.throwIfAborted();
      return runTask({ kind, task } as Order['task'], onProgress ?? (() => undefined)) as never;
    },
    release() {},
  };
}
