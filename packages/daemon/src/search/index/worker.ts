/** The entry of a worker thread: one task after the other, each answered once. */
import { types } from 'node:util';
import { parentPort } from 'node:worker_threads';
import { runTask, type Task } from './tasks.ts';

export interface Order {
  readonly id: number;
  readonly task: Task;
}

export type Reply =
  | { readonly id: number; readonly kind: 'progress'; readonly files: number; readonly bytes: number }
  | { readonly id: number; readonly kind: 'done'; readonly result: unknown }
  | { readonly id: number; readonly kind: 'failed'; readonly message: string };

const port = parentPort;
port?.on('message', ({ id, task }: Order) => {
  const reply = (message: Reply) => port.postMessage(message);
  try {
    reply({ id, kind: 'done', result: runTask(task, (files, bytes) => reply({ id, kind: 'progress', files, bytes })) });
  } catch (error) {
    reply({ id, kind: 'failed', message: types.isNativeError(error) ? (error.stack ?? error.message) : String(error) });
  }
});
