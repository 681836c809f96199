/**
 * Sends candidates through the workers and collects what they find. Invariant: what counts is a beginning of the
 * candidates in path order, all of them unless it says where and why it ended.
 */
import type { LineMatcher } from '@zerd/core/search/plan-search';
import type { HitCollector, HitLimits } from '../collect-hits.ts';
import { batchesOf, verifyTask } from './batches.ts';
import type { PathKey } from './contract.ts';
import { shownPath } from './path-key.ts';
import type { Pool } from './pool.ts';
import type { Candidate } from './select-candidates.ts';
import type { FoundFile, VerifyResult } from './verify-files.ts';

export interface VerifyWish {
  readonly root: string;
  readonly pool: Pool;
  readonly matcher: LineMatcher;
  readonly candidates: readonly Candidate[];
  readonly collector: HitCollector;
  readonly limits: HitLimits;
  readonly context: number;
  /** After so many hits nothing more is looked at. */
  readonly stopAt: number | undefined;
  readonly signal: AbortSignal;
  readonly isOver: () => boolean;
}

export interface Verified {
  readonly undecided: readonly PathKey[];
  /** The last file that counts; undefined: all do. */
  readonly end?: PathKey;
  readonly stopped?: string;
  readonly over?: boolean;
}

/** A batch is a few megabytes at most: a matcher that needs longer goes round in circles. */
const batchDeadlineMs = 3_000;
const firstBatch = { files: 16, bytes: 262_144 };
const largestBatch = { files: 512, bytes: 4 * 1_048_576 };

export async function verifyAll(wish: VerifyWish): Promise<Verified> {
  const { candidates, pool } = wish;
  const first = wish.stopAt === undefined ? fairShare(candidates.length, pool.size) : firstBatch;
  const batches = batchesOf(candidates, first, largestBatch);
  const running: Running[] = [];
  const undecided: PathKey[] = [];
  let hits = 0;
  const fill = () => {
    while (running.length < 2 * pool.size) {
      const batch = batches.next();
      if (batch.done === true) return;
      running.push(start(wish, batch.value, hits >= wish.limits.hits));
    }
  };
  try {
    for (fill(); running.length > 0; fill()) {
      const next = running.shift();
      if (next === undefined) break;
      const result = await next.result;
      hits += take(wish, next.batch, result);
      undecided.push(...result.undecided.map((row) => next.batch[row]?.path ?? ''));
      const end = next.batch.at(-1)?.path;
      if (wish.stopAt !== undefined && hits >= wish.stopAt && end !== candidates.at(-1)?.path && end !== undefined) {
        return { undecided, end, stopped: `stopped after the first ${wish.stopAt} hits; there may be more` };
      }
    }
    return { undecided };
  } catch (error) {
    if (!wish.isOver()) throw error;
    return { undecided: [], over: true };
  } finally {
    // A thread in the middle of a batch ends it: starting another costs more.
    for (const { result } of running) result.catch(() => undefined);
  }
}

/** Small searches are spread over the workers too. */
function fairShare(files: number, workers: number) {
  return { ...largestBatch, files: Math.max(8, Math.min(largestBatch.files, Math.ceil(files / (2 * workers)))) };
}

interface Running {
  readonly batch: readonly Candidate[];
  readonly result: Promise<VerifyResult>;
}

function start(wish: VerifyWish, batch: readonly Candidate[], isFull: boolean): Running {
  // Lines behind the first hits are only counted.
  const wanted = { hits: isFull ? 0 : wish.limits.hits, bytes: wish.limits.bytes, context: wish.context };
  const task = verifyTask(wish.root, wish.matcher, batch, wanted);
  return { batch, result: wish.pool.run('verify', task, { signal: wish.signal, deadlineMs: batchDeadlineMs }) };
}

function take(wish: VerifyWish, batch: readonly Candidate[], { found }: VerifyResult): number {
  let hits = 0;
  for (const file of found) {
    wish.collector.begin(shownPath(batch[file.row]?.path ?? ''));
    hits += takeFile(wish.collector, file);
    wish.collector.end(true);
  }
  return hits;
}

function takeFile(collector: HitCollector, { lines, matches }: FoundFile): number {
  let taken = 0;
  for (const { line, isMatch } of lines) {
    collector.take([line], isMatch);
    if (isMatch) taken += 1;
  }
  for (let n = taken; n < matches; n += 1) collector.count();
  return lines.length;
}
