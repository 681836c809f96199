/**
 * Sends candidates through the workers and collects what they find. Invariant: what counts is a beginning of the
 * candidates in path order, all of them unless it says where and why it ended.
 */
import type { LineMatcher } from '@zerd/core/search/plan-search';
import type { HitCollector, HitLimits } from '../collect-hits.ts';
import { batchesOf, verifyTask } from './batches.ts';
import type { PathKey } from './contract.ts';
import type { KeptFiles } from './kept-files.ts';
import { shownPath } from './path-key.ts';
import type { Pool } from './pool.ts';
import { bytesOf, type Candidate } from './select-candidates.ts';
import { type FoundFile, type VerifyResult, verifyFiles } from './verify-files.ts';

export interface VerifyWish {
  readonly root: string;
  readonly pool: Pool;
  /** For what is looked into without a thread. */
  readonly kept: KeptFiles;
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
  /** Only a scan of the tree gives the answer. */
  readonly scan?: boolean;
}

/** A batch is a few megabytes at most: a matcher that needs longer goes round in circles. */
const batchDeadlineMs = 3_000;
const firstBatch = { files: 16, bytes: 262_144 };
const largestBatch = { files: 512, bytes: 4 * 1_048_576 };
/** So few are looked into here sooner than a thread is asked, and others wait a millisecond or two for each batch. */
const hereInAll = { files: 1_024, bytes: 16 * 1_048_576 };
const largestHere = { files: 32, bytes: 524_288 };
/** Of a search that may end with its first hits: where these do not give them, most of the rest is to be looked into. */
const firstHere = 128;
/** How long others wait at most, but for one batch. */
const turnMs = 2;

export async function verifyAll(wish: VerifyWish): Promise<Verified> {
  const { candidates } = wish;
  const undecided: PathKey[] = [];
  let [hits, scan] = [0, false];
  /** The last file that counts, once that is decided. */
  const takeNext = (batch: readonly Candidate[], result: VerifyResult): PathKey | undefined => {
    hits += take(wish, batch, result);
    scan ||= result.scan;
    undecided.push(...result.undecided.map((row) => batch[row]?.path ?? ''));
    const end = batch[result.rows - 1]?.path;
    return wish.stopAt !== undefined && hits >= wish.stopAt && end !== candidates.at(-1)?.path ? end : undefined;
  };
  const near = nearOf(wish);
  try {
    const end =
      (await lookHere(wish, candidates.slice(0, near), takeNext, () => hits)) ??
      (await lookInThreads(wish, candidates.slice(near), takeNext, () => hits));
    if (end === undefined) return { undecided, scan };
    return { undecided, scan, end, stopped: `stopped after the first ${wish.stopAt} hits; there may be more` };
  } catch (error) {
    if (!wish.isOver()) throw error;
    return { undecided: [], over: true };
  }
}

/** How many of the first candidates are looked into here: all or none, unless it may end with the first ones. */
function nearOf({ candidates, matcher, stopAt }: VerifyWish): number {
  if (!matcher.quick && matcher.lead === undefined) return 0;
  let bytes = 0;
  const end = candidates.findIndex((candidate, n) => {
    bytes += bytesOf(candidate);
    // A file that changed since may be of any size.
    return n >= hereInAll.files || bytes > hereInAll.bytes || candidate.segment === undefined;
  });
  if (end < 0) return candidates.length;
  return stopAt === undefined ? 0 : Math.min(end, firstHere);
}

type TakeNext = (batch: readonly Candidate[], result: VerifyResult) => PathKey | undefined;

/** Others have their turn every few milliseconds. */
async function lookHere(wish: VerifyWish, candidates: readonly Candidate[], takeNext: TakeNext, hits: () => number) {
  let turnedAt = performance.now();
  wish.kept.begin();
  for (const batch of batchesOf(candidates, firstBatch, largestHere)) {
    wish.signal.throwIfAborted();
    const end = takeNext(batch, verifyFiles(taskOf(wish, batch, hits()), wish.kept));
    if (end !== undefined) return end;
    if (performance.now() - turnedAt < turnMs) continue;
    await new Promise((resolve) => setImmediate(resolve));
    turnedAt = performance.now();
  }
  return undefined;
}

async function lookInThreads(
  wish: VerifyWish,
  candidates: readonly Candidate[],
  takeNext: TakeNext,
  hits: () => number,
) {
  const { pool } = wish;
  const first = wish.stopAt === undefined ? fairShare(candidates.length, pool.size) : firstBatch;
  const batches = batchesOf(candidates, first, largestBatch);
  const running: Running[] = [];
  const fill = () => {
    while (running.length < 2 * pool.size) {
      const batch = batches.next();
      if (batch.done === true) return;
      running.push(start(wish, batch.value, hits()));
    }
  };
  try {
    for (fill(); running.length > 0; fill()) {
      const next = running.shift();
      if (next === undefined) break;
      const end = takeNext(next.batch, await next.result);
      if (end !== undefined) return end;
    }
    return undefined;
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

function start(wish: VerifyWish, batch: readonly Candidate[], hits: number): Running {
  const options = { signal: wish.signal, deadlineMs: batchDeadlineMs };
  return { batch, result: wish.pool.run('verify', taskOf(wish, batch, hits), options) };
}

/** `hits`: what was found before. Lines behind the first ones are only counted. */
function taskOf({ root, matcher, limits, context, stopAt }: VerifyWish, batch: readonly Candidate[], hits: number) {
  const enough = stopAt === undefined ? Infinity : Math.max(1, stopAt - hits);
  const lines = hits >= limits.hits ? 0 : limits.hits;
  return verifyTask(root, matcher, batch, { enough, hits: lines, bytes: limits.bytes, context });
}

function take(wish: VerifyWish, batch: readonly Candidate[], { found }: VerifyResult): number {
  let hits = 0;
  for (const file of found) {
    wish.collector.begin(shownPath(batch[file.row]?.path ?? ''));
    hits += takeFile(wish.collector, file);
    wish.collector.end(true, file.cut ? Infinity : undefined);
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
