/** What worker threads do, as plain data. Invariant: a worker remembers nothing between tasks but buffers. */
import { buildChunk, type ChunkTask, releaseCollector } from './build-chunk.ts';
import { type MergeTask, mergeSegments } from './merge-index.ts';
import type { PackedPaths } from './packed-paths.ts';
import type { ChunkRows } from './rows.ts';
import { type SortTask, sortListing } from './sort-listing.ts';
import { type VerifyResult, type VerifyTask, verifyFiles } from './verify-files.ts';
import { type SegmentTask, type WrittenSegment, writeSegment } from './write-segment.ts';

export type Task =
  | { readonly kind: 'sort'; readonly task: SortTask }
  | { readonly kind: 'chunk'; readonly task: ChunkTask }
  | { readonly kind: 'segment'; readonly task: SegmentTask }
  | { readonly kind: 'merge'; readonly task: MergeTask }
  | { readonly kind: 'verify'; readonly task: VerifyTask };

export interface TaskResults {
  readonly sort: PackedPaths;
  readonly chunk: ChunkRows;
  readonly segment: WrittenSegment;
  readonly merge: WrittenSegment;
  readonly verify: VerifyResult;
}

export type TaskKind = keyof TaskResults;
export type TaskOf<K extends TaskKind> = Extract<Task, { kind: K }>['task'];

export function runTask(task: Task, onProgress: (files: number, bytes: number) => void): TaskResults[TaskKind] {
  if (task.kind === 'chunk') return buildChunk(task.task, onProgress);
  if (task.kind === 'verify') return verifyFiles(task.task);
  if (task.kind === 'sort') return sortListing(task.task);
  releaseCollector();
  return task.kind === 'merge' ? mergeSegments(task.task) : writeSegment(task.task);
}
