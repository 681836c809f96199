/**
 * Search as the rest of the daemon has it: through the index where that is certain, else through ripgrep. Invariants:
 * nothing is opened, read or watched before somebody searches; whatever is wrong with the index, the answer is right.
 */
import { join } from 'node:path';
import { isNativeError } from 'node:util/types';
import { isGlob } from '@zerd/core/search/glob';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { Clock } from '@zerd/protocol/node/clock';
import type { Log } from '../base/log.ts';
import type { FindAnswer, SearchAnswer, SearchQuery, SearchService } from '../base/ports.ts';
import { findPaths } from './find-paths.ts';
import { keepFresh } from './fresh/keep-fresh.ts';
import type { OpenWatch } from './fresh/watch-port.ts';
import type { OpenIndex, OpenIndexOptions } from './index/contract.ts';
import { type IndexParts, indexReport, noIndex } from './index-report.ts';
import { createListedRanking } from './listed-ranking.ts';
import { createRipgrepSearch, type RipgrepOptions, roomOf } from './ripgrep.ts';

/** on: whatever the root; off: never; auto: not for the home folder and `/`. */
export type IndexPolicy = 'on' | 'off' | 'auto';

export interface SearchParts extends RipgrepOptions {
  /** A real path. */
  readonly root: string;
  readonly stateFolder: string;
  readonly clock: Clock;
  /** By which it is put away when nobody searches, so that waiting for that wakes nobody; absent: `clock`. */
  readonly idleClock?: Clock;
  readonly log: Log;
  /** Asked once, when somebody searches for the first time. */
  readonly policy: () => IndexPolicy;
  readonly openWatch: OpenWatch;
  /** Loads the code of the index: an idle daemon never reads it. */
  readonly loadIndex: () => Promise<OpenIndex>;
  readonly index?: Partial<OpenIndexOptions>;
  /** How long a proof of freshness is waited for before the tree is scanned. */
  readonly proofMs?: number;
}

/** What could not be opened is tried again after so long, or when somebody asks for a rebuild. */
const retryMs = 10 * 60_000;
/** Paths that are named where none fits. */
const nearPaths = 10;

export function openSearch(parts: SearchParts): SearchService {
  const { root, clock, idleClock = clock, log } = parts;
  const plain = createRipgrepSearch(root, parts);
  const ranking = createListedRanking(root, clock);
  const listeners = new Set<() => void>();
  let opening: Promise<IndexParts | undefined> | undefined;
  let failure: { readonly at: number; readonly why: string } | undefined;
  let retryAt = 0;

  /** Undefined: there is to be no index. */
  function opened(): Promise<IndexParts | undefined> {
    if (failure !== undefined && clock.now() >= retryAt) opening = undefined;
    opening ??= parts.policy() === 'off' ? Promise.resolve(undefined) : open().then(succeeded, failed);
    return opening;
  }

  async function open(): Promise<IndexParts> {
    const folder = join(parts.stateFolder, 'index');
    const openIndex = await parts.loadIndex();
    const anyRoot = parts.policy() === 'on';
    const index = await openIndex({ folder, root, clock, idleClock, log, anyRoot, ...parts.index });
    const cookieFolder = join(parts.stateFolder, 'cookies');
    const proof = parts.proofMs === undefined ? {} : { deadlineMs: parts.proofMs };
    const { openWatch } = parts;
    const about = { index, root, cookieFolder, clock, idleClock, log };
    const fresh = keepFresh({ ...about, openWatch, onState: tell, ...proof });
    index.onStatus(tell);
    return { index, fresh };
  }

  function succeeded(kept: IndexParts): IndexParts {
    failure = undefined;
    return kept;
  }

  function failed(error: unknown): undefined {
    failure = { at: clock.wall(), why: messageOf(error) };
    retryAt = clock.now() + retryMs;
    log.error('the search index could not be opened; searches scan', { error, root });
    return undefined;
  }

  function tell(): void {
    for (const listener of listeners) listener();
  }

  async function search(query: SearchQuery, signal: AbortSignal): Promise<SearchAnswer> {
    const kept = await opened();
    if (kept) {
      const { synced, scan } = await kept.fresh.settle(signal);
      const found = scan === true ? undefined : await kept.index.query(query, signal);
      if (found) return { ...found.answer, synced };
    }
    // A scan begins after the question, and so holds all that was written before.
    return { ...(await plain.search(query, signal)), synced: true };
  }

  async function find(pattern: string, signal: AbortSignal): Promise<FindAnswer> {
    const kept = await opened();
    const visible = async (wanted: string) => kept?.fresh.find(wanted, signal);
    const answer = await findPaths({ ...roomOf(root, parts), visible }, pattern, signal);
    if (answer.total > 0 || answer.incomplete !== undefined || isGlob(pattern)) return answer;
    const { paths } = await rank(pattern, nearPaths, signal);
    return paths.length === 0 ? answer : { ...answer, near: paths };
  }

  async function rank(typed: string, limit: number, signal: AbortSignal) {
    const kept = await opened();
    const found = await kept?.fresh.rank(typed, limit, signal);
    if (!found) return ranking.rank(typed, limit, signal);
    return { paths: found.ranked.map(({ path }) => path), total: found.total, synced: found.synced };
  }

  async function report() {
    const kept = await opened();
    if (kept) return indexReport(kept);
    return failure === undefined ? noIndex : { ...noIndex, state: 'none' as const, failed: failure };
  }

  return {
    search,
    find,
    rank,
    indexStatus: report,
    async rebuildIndex(why) {
      retryAt = 0;
      const kept = await opened();
      if (!kept) throw noIndexHere(failure?.why);
      kept.fresh.wake();
      void kept.index
        .rebuild(why)
        .catch((error: unknown) => log.warn('the search index could not be built', { error }));
      return indexReport(kept);
    },
    onIndex(listener) {
      const call = () => void report().then(listener);
      listeners.add(call);
      return { [Symbol.dispose]: () => void listeners.delete(call) };
    },
    async close() {
      listeners.clear();
      const kept = await opening;
      await Promise.all([kept?.fresh.close(), kept?.index.close()]);
    },
  };
}

function noIndexHere(why: string | undefined): ZerdError {
  if (why === undefined) return new ZerdError('invalid_params', 'There is no index here: `search.index` is "off".');
  return new ZerdError(
    'installation_broken',
    `The index could not be opened: ${why}. Searches scan the tree and are right. Mend it, then try again.`,
  );
}

function messageOf(error: unknown): string {
  return isNativeError(error) ? error.message : String(error);
}
