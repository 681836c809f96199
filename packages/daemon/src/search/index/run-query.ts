/**
 * Answers a query from the index: candidates first, then workers, ripgrep on the candidates, or ripgrep on the tree,
 * whichever costs least. Invariant: the answer is that of ripgrep on the tree; undefined: scan the tree instead.
 */

import { type PatternPlan, planSearch } from '@zerd/core/search/plan-search';
import { readingMs, ripgrepMs, type SearchSize } from '@zerd/core/search/search-cost';
import type { Clock } from '@zerd/protocol/node/clock';
import type { SearchAnswer, SearchQuery } from '../../base/ports.ts';
import { createHitCollector, type HitLimits } from '../collect-hits.ts';
import { startDeadline } from '../deadline.ts';
import { hasHiddenName } from '../list-files.ts';
import { canBeNamed, searchFiles } from './candidates-by-ripgrep.ts';
import type { IndexAnswer, Route } from './contract.ts';
import { countTree, type FileCount } from './count-tree.ts';
import { readContent } from './file-content.ts';
import type { Journal } from './journal.ts';
import type { KeptFiles } from './kept-files.ts';
import type { Loaded } from './loaded.ts';
import { byPath, shownPath } from './path-key.ts';
import { type Pool, TaskExpired } from './pool.ts';
import { type QueryScope, scopeOf } from './query-scope.ts';
import { bytesOf, type Candidate, type Candidates, selectCandidates } from './select-candidates.ts';
import { keptBytes, largeBytes } from './settings.ts';
import { verifyAll } from './verify-all.ts';

export interface QueryRoom {
  readonly root: string;
  readonly clock: Clock;
  readonly limits: HitLimits;
  readonly timeoutMs: number;
  readonly pool: Pool;
  readonly kept: KeptFiles;
  readonly journal: Journal;
  /** What is indexed. */
  readonly corpus: SearchSize;
  /** Candidates of more bytes are ripgrep's; undefined: where it needs less time for the tree. */
  readonly largeBytes: number | undefined;
}

/** More files than these are not worth naming to ripgrep one by one. */
const maxNamed = 6_000;

export async function runQuery(
  room: QueryRoom,
  loaded: Loaded,
  query: SearchQuery,
  signal: AbortSignal,
): Promise<IndexAnswer | undefined> {
  const plan = planSearch(query);
  const scope = plan === undefined ? undefined : await scopeOf(room.root, query);
  if (plan === undefined || scope === undefined || !knows(loaded, room.journal, scope)) return undefined;
  const isWhole = isForRipgrep(room, plan, query);
  const candidates = isWhole
    ? { files: [], foreign: [], bytes: room.corpus.bytes, narrowed: false }
    : selectCandidates(loaded, room.journal, plan, scope.inScope);
  using deadline = startDeadline(room.timeoutMs, signal, room.clock);
  const ask: Ask = { room, loaded, query, plan, scope, candidates, signal: deadline.signal, isOver: deadline.expired };
  const route = isWhole ? 'ripgrep-tree' : routeOf(ask);
  if (isSearchedOtherwise(ask, route)) return undefined;
  const answer = await answerBy(route, ask);
  if (answer === undefined) return undefined;
  return { answer, route, candidateFiles: candidates.files.length, candidateBytes: candidates.bytes };
}

interface Ask {
  readonly room: QueryRoom;
  readonly loaded: Loaded;
  readonly query: SearchQuery;
  readonly plan: PatternPlan;
  readonly scope: QueryScope;
  readonly candidates: Candidates;
  readonly signal: AbortSignal;
  readonly isOver: () => boolean;
}

/** A folder of which nothing is indexed may be ignored or hidden. */
function knows(loaded: Loaded, journal: Journal, { folder }: QueryScope): boolean {
  if (folder === '') return true;
  if ([...journal.changed.keys()].some((path) => path.startsWith(folder))) return true;
  return loaded.segments.some((segment) => segment.hasBelow(folder));
}

/** A pattern without any trigram, over a tree of some size: ripgrep matches it as quickly as anybody. */
function isForRipgrep(room: QueryRoom, { trigrams, matcher }: PatternPlan, { maxHits, path, glob, type }: SearchQuery) {
  if (trigrams.kind !== 'all' || (path ?? glob ?? type) !== undefined) return false;
  return maxHits === undefined && !isCheap(matcher, room.corpus.bytes, room);
}

/** A plain text is looked for more quickly than a tree is listed, as long as the tree is small. */
function isCheap(matcher: PatternPlan['matcher'], bytes: number, room: QueryRoom): boolean {
  return matcher?.inner?.whole === true && !matcher.inner.fold && bytes <= (room.largeBytes ?? largeBytes);
}

function routeOf({ room, query, plan, candidates }: Ask): Route {
  const { matcher } = plan;
  const size = { files: candidates.files.length, bytes: candidates.bytes };
  const isLarge = isForTree(size, matcher, room);
  if (matcher === undefined) {
    return isLarge || candidates.files.length > maxNamed ? 'ripgrep-tree' : 'ripgrep-candidates';
  }
  if (query.maxHits !== undefined && query.maxHits <= room.limits.hits) return isLarge ? 'ordered-scan' : 'verify';
  if (!candidates.narrowed && !isCheap(matcher, candidates.bytes, room)) return 'ripgrep-tree';
  return isLarge ? 'ripgrep-tree' : 'verify';
}

function isForTree(size: SearchSize, matcher: PatternPlan['matcher'], room: QueryRoom): boolean {
  if (room.largeBytes !== undefined) return size.bytes > room.largeBytes;
  return size.bytes > largeBytes && costOf(size, matcher) > ripgrepMs(room.corpus);
}

function costOf(size: SearchSize, matcher: PatternPlan['matcher']): number {
  return matcher === undefined ? ripgrepMs(size) : readingMs(size, matcher, keptBytes);
}

/** A file with a NUL is not searched by ripgrep as a file of the tree when it is named, nor counted. */
function isSearchedOtherwise({ loaded, scope, query }: Ask, route: Route): boolean {
  const isVerified = (route === 'verify' || route === 'ordered-scan') && (query.context ?? 0) === 0;
  return loaded.segments.some((segment) =>
    segment.cut.some((file) => {
      if (segment.dead[file] !== 0 || (isVerified && !segment.isForeign(file))) return false;
      return scope.inScope === undefined || scope.inScope(segment.path(file));
    }),
  );
}

async function answerBy(route: Route, ask: Ask): Promise<SearchAnswer | undefined> {
  if (route === 'ripgrep-candidates') return searchNamed(ask);
  if (route === 'ripgrep-tree') return ask.plan.matcher === undefined ? undefined : countAndShow(ask);
  try {
    return await verify(ask, ask.candidates, ask.query.maxHits);
  } catch (error) {
    // A pattern that makes a backtracking matcher go on and on.
    if (error instanceof TaskExpired) return ask.candidates.files.length > maxNamed ? undefined : searchNamed(ask);
    throw error;
  }
}

async function verify(ask: Ask, candidates: Candidates, stopAt?: number): Promise<SearchAnswer | undefined> {
  const { room, query, plan } = ask;
  if (plan.matcher === undefined) return undefined;
  const hits = Math.min(room.limits.hits, query.maxHits ?? Infinity);
  const collector = createHitCollector({ ...room.limits, hits });
  const verified = await verifyAll({
    root: room.root,
    pool: room.pool,
    kept: room.kept,
    matcher: plan.matcher,
    candidates: candidates.files,
    collector,
    limits: { ...room.limits, hits },
    context: query.context ?? 0,
    stopAt,
    signal: ask.signal,
    isOver: ask.isOver,
  });
  if (verified.scan === true) return undefined;
  const left = [...verified.undecided, ...candidates.foreign.filter((path) => isBefore(path, verified.end))];
  if (!left.every(canBeNamed)) return undefined;
  const trouble =
    left.length === 0 ? undefined : await unlessOver(ask, searchFiles({ ...ripgrepRun(ask), collector }, left));
  return answerOf(
    collector.answer(),
    verified.over ? tooLong(room) : (verified.stopped ?? trouble ?? collector.binaryNote()),
  );
}

function isBefore(path: string, end: string | undefined): boolean {
  return end === undefined || byPath(path, end) <= 0;
}

function ripgrepRun({ room, query, signal }: Ask) {
  return { root: room.root, query, signal };
}

function tooLong({ timeoutMs }: QueryRoom): string {
  return `stopped after ${timeoutMs / 1_000} s; narrow the search`;
}

function answerOf(answer: SearchAnswer, incomplete: string | undefined): SearchAnswer {
  return { ...answer, partial: true, ...(incomplete === undefined ? {} : { incomplete }) };
}

async function searchNamed(ask: Ask): Promise<SearchAnswer | undefined> {
  const { room, query, candidates } = ask;
  const files = candidates.files.map((file) => ({ ...file, content: contentNow(room, file) }));
  if (files.some(({ content }) => content?.cut === true)) return undefined;
  const texts = files.filter(({ content }) => content?.kind !== 'binary');
  const paths = [...texts.map(({ path }) => path), ...candidates.foreign];
  if (!paths.every(canBeNamed)) return undefined;
  const hits = Math.min(room.limits.hits, query.maxHits ?? Infinity);
  const collector = createHitCollector({ ...room.limits, hits });
  const trouble = await unlessOver(ask, searchFiles({ ...ripgrepRun(ask), collector }, paths));
  return answerOf(collector.answer(), trouble);
}

/** Of a file that is not indexed as it is; undefined: it is. */
function contentNow({ root }: QueryRoom, { path, segment }: Candidate) {
  if (segment !== undefined) return undefined;
  const { kind, cut } = readContent(root, path) ?? { kind: 'text', cut: false };
  return { kind, cut };
}

/** What was found when the time was over is an answer, and says so. */
async function unlessOver({ room, isOver }: Ask, searched: Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await searched;
  } catch (error) {
    if (!isOver()) throw error;
    return tooLong(room);
  }
}

/** Totals by counting; then only the files with the first hits are read for them. */
async function countAndShow(ask: Ask): Promise<SearchAnswer | undefined> {
  const { room, query, scope } = ask;
  const counts = await countTree(room.root, scope.target, query, ask.signal).catch((error: unknown) => {
    if (!ask.isOver()) throw error;
    return undefined;
  });
  if (counts === undefined || changedFiles(ask).some((file) => contentNow(room, file)?.cut === true)) return undefined;
  const texts = counts.filter(({ path }) => isCounted(ask, path)).sort((a, b) => byPath(a.path, b.path));
  const shown = await verify(ask, firstFiles(ask, texts));
  if (shown === undefined) return undefined;
  return { ...shown, ...totalsOf(texts, room.limits) };
}

function changedFiles({ room, scope }: Ask): Candidate[] {
  const paths = [...room.journal.changed.keys()].filter((path) => scope.inScope === undefined || scope.inScope(path));
  return paths.map((path) => ({ path, file: -1, blocks: undefined }));
}

function totalsOf(counts: readonly FileCount[], { files }: HitLimits) {
  return {
    totalMatches: counts.reduce((sum, { count }) => sum + count, 0),
    totalFiles: counts.length,
    files: counts.slice(0, files).map(({ path, count }) => ({ path: shownPath(path), count })),
  };
}

/** Ripgrep counts in binary files too, and its type filter brings hidden files back. */
function isCounted({ loaded, room, query }: Ask, path: string): boolean {
  const found = loaded.find(path);
  if (found !== undefined) return !found.segment.isBinary(found.file);
  const isFiltered = query.glob !== undefined || query.type !== undefined;
  return !isFiltered || room.journal.changed.has(path) || !hasHiddenName(path);
}

function firstFiles({ room, loaded }: Ask, counts: readonly FileCount[]): Candidates {
  const files: Candidate[] = [];
  const foreign: string[] = [];
  let hits = 0;
  for (const { path, count } of counts) {
    if (hits >= room.limits.hits) break;
    hits += count;
    const found = loaded.find(path);
    if (found === undefined || found.segment.dead[found.file] !== 0) files.push({ path, file: -1, blocks: undefined });
    else if (found.segment.isForeign(found.file)) foreign.push(path);
    else files.push({ path, ...found, blocks: undefined });
  }
  return { files, foreign, bytes: files.reduce((sum, file) => sum + bytesOf(file), 0), narrowed: true };
}
