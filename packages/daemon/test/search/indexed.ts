/** Search with its index over a tree of its own, in this thread, and ripgrep's word on what is right. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { Log, LogFacts } from '@zerd/daemon/base/log';
import type { SearchQuery, SearchService } from '@zerd/daemon/base/ports';
import { inlineWatch } from '@zerd/daemon/search/fresh/inline-watch';
import type { TreeWatchParts } from '@zerd/daemon/search/fresh/tree-watch';
import type { OpenIndexOptions } from '@zerd/daemon/search/index/contract';
import { openIndex } from '@zerd/daemon/search/index/open-index';
import { openSearch, type SearchParts } from '@zerd/daemon/search/open-search';
import { createRipgrepSearch } from '@zerd/daemon/search/ripgrep';
import type { IndexReport } from '@zerd/protocol/common/search';
import { systemClock } from '@zerd/protocol/node/clock';
import { makeRoot, put, removeRoot } from './fresh/tree.ts';

type SearchSignal = Parameters<SearchService['search']>[1];

export interface Indexed extends AsyncDisposable {
  readonly top: string;
  readonly root: string;
  readonly stateFolder: string;
  readonly service: SearchService;
  readonly lines: (readonly [string, LogFacts])[];
  put(path: string, content?: string): void;
  /** Searches until the index is there and the tree is watched (or cannot be). */
  warm(): Promise<IndexReport>;
  /** Once what is told fits. */
  until(fits: (report: IndexReport) => boolean): Promise<IndexReport>;
  /** How many searches the index answered itself. */
  answered(): number;
  /** What the service finds is what ripgrep finds now. */
  right(query: SearchQuery): Promise<void>;
  /** Another daemon in its place. */
  again(more?: IndexedWish): Indexed;
  /** Ends it and leaves the folder. */
  stop(): Promise<void>;
}

export interface IndexedWish extends Partial<Omit<SearchParts, 'openWatch'>> {
  readonly watch?: Partial<TreeWatchParts>;
}

export const never: SearchSignal = new AbortController().signal;

export function indexed(wish: IndexedWish = {}, top = makeRoot()): Indexed {
  const { watch, ...parts } = wish;
  const [root, stateFolder] = [parts.root ?? join(top, 'app'), join(top, 'state')];
  mkdirSync(root, { recursive: true });
  const lines: (readonly [string, LogFacts])[] = [];
  const note = (message: string, facts: LogFacts = {}) => void lines.push([message, facts]);
  const log: Log = { info() {}, warn: note, error: note };
  let answered = 0;
  /** The index, with its answers counted. */
  const openCounted = async (options: OpenIndexOptions) => {
    const index = await openIndex(options);
    const query: typeof index.query = async (...args) => {
      const found = await index.query(...args);
      if (found) answered += 1;
      return found;
    };
    return { ...index, query };
  };
  const service = openSearch({
    root,
    stateFolder,
    clock: systemClock,
    log,
    policy: () => 'auto',
    // A busy machine is no reason to scan.
    proofMs: 20_000,
    openWatch: inlineWatch(systemClock, watch),
    loadIndex: () => Promise.resolve(openCounted),
    ...parts,
    index: { smallFiles: 0, threads: false, ...parts.index },
  });
  const plain = createRipgrepSearch(root);

  async function until(fits: (report: IndexReport) => boolean): Promise<IndexReport> {
    const now = await service.indexStatus();
    if (fits(now)) return now;
    return await new Promise((resolve) => {
      const listening = service.onIndex((report) => {
        if (!fits(report)) return;
        listening[Symbol.dispose]();
        resolve(report);
      });
    });
  }

  return {
    top,
    root,
    stateFolder,
    service,
    lines,
    answered: () => answered,
    put: (path, content) => put(root, path, content),
    async warm() {
      await service.search({ pattern: 'warm' }, never);
      return await until(
        ({ state, watch: { phase } }) => state === 'ready' && (phase === 'live' || phase === 'polling'),
      );
    },
    until,
    async right(query) {
      const { synced, ...found } = await service.search(query, never);
      expect({ query, synced, found }).toEqual({ query, synced: true, found: await plain.search(query, never) });
    },
    again: (more) => indexed({ ...wish, ...more }, top),
    stop: () => service.close(),
    async [Symbol.asyncDispose]() {
      await service.close();
      removeRoot(top);
    },
  };
}
