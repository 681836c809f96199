/**
 * Decides what a compaction replaces: everything before the last requests, or all of it where a model binds its reasoning
 * to what stood before. Invariants: the cut falls in front of an answer, so that no result loses its call (I12); a
 * message that no request has carried yet is never replaced.
 */
import type { SessionState, TranscriptItem } from '../../session/state.ts';

export interface CutPoint {
  /** Everything up to this event is replaced; 0: nothing. */
  readonly throughSeq: number;
  /** How many requests stay whole. */
  readonly kept: number;
  /** The newest answer is replaced too, and its results were never sent. */
  readonly unseenAfter: number | undefined;
}

/** Requests that stay with their results: what a model is still working with. */
export const usualKept = 6;
/** Tried in this order until what stays is small enough. */
export const keptSteps: readonly number[] = [usualKept, 2, 0];

/** `keep`: how many of the newest requests stay. */
export function cutPoint({ items }: Pick<SessionState, 'items'>, keep: number): CutPoint {
  const answers = items.flatMap((item, i) => (item.kind === 'answer' ? [i] : []));
  const end = newBehind(items, answers.at(-1));
  if (keep === 0)
    return { throughSeq: seqBefore(items, end), kept: 0, unseenAfter: unseenAfter(items, answers.at(-1)) };
  const first = answers.at(-keep);
  if (first === undefined) return { throughSeq: 0, kept: answers.length, unseenAfter: undefined };
  return { throughSeq: seqBefore(items, startOf(items, first)), kept: keep, unseenAfter: undefined };
}

/** Where the items begin that belong to the answer: the messages right in front of it. */
function startOf(items: readonly TranscriptItem[], answer: number): number {
  let start = answer;
  while (start > 0 && isSaid(items[start - 1])) start -= 1;
  return start;
}

/** Where the items begin that came in behind the newest answer and its results. */
function newBehind(items: readonly TranscriptItem[], answer: number | undefined): number {
  if (answer === undefined) return 0;
  let start = items.length;
  while (start > answer + 1 && isSaid(items[start - 1])) start -= 1;
  return start;
}

function isSaid(item: TranscriptItem | undefined): boolean {
  return item !== undefined && item.kind !== 'answer' && item.kind !== 'toolResult';
}

function seqBefore(items: readonly TranscriptItem[], index: number): number {
  return items[index - 1]?.seq ?? 0;
}

function unseenAfter(items: readonly TranscriptItem[], answer: number | undefined): number | undefined {
  if (answer === undefined) return undefined;
  const results = items.slice(answer + 1).some((item) => item.kind === 'toolResult');
  return results ? items[answer]?.seq : undefined;
}
