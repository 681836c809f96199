/** What worker threads do, as plain data. Invariant: a worker remembers nothing between tasks but buffers. */
import { buildChunk, type ChunkTask, releaseCollector } from './build-chunk.ts';
import type { ChunkRows } from './rows.ts';
import { type VerifyResult, type VerifyTask, verifyFiles } from './verify-files.ts';
import { type SegmentTask, type WrittenSegment, writeSegment } from './write-segment.ts';

export type Task =
  | { readonly kind: 'chunk'; readonly task: ChunkTask }
  | { readonly kind: 'segment'; readonly task: SegmentTask }
  | { readonly kind: 'verify'; readonly task: VerifyTask };

export interface TaskResults {
  readonly chunk: ChunkRows;
  readonly segment: WrittenSegment;
  readonly verify: VerifyResult;
}

export type TaskKind = keyof TaskResults;
export type TaskOf<K extends TaskKind> = Extract<Task, { kind: K }>['task'];

export function runTask(task: Task, onProgress: (files: number, bytes: number) => void): TaskResults[TaskKind] {
  if (task.kind === 'chunk') return buildChunk(task.task, onProgress);
  if (task.kind === 'verify') return verifyFiles(task.task);
  releaseCollector();
  return writeSegment(task.task);
}
