/** Search of contents and of paths, and the index behind both. */
import { isGlob } from '@zerd/core/search/glob';
import type { Handlers } from '../dispatch.ts';
import { given } from '../given.ts';
import type { House } from '../house.ts';

const usualHits = 2_000;
const usualPaths = 50;

export function searchHandlers({
  search,
}: House): Pick<Handlers, 'search/query' | 'file/find' | 'index/status' | 'index/rebuild'> {
  // Every search has a time limit of its own.
  const { signal } = new AbortController();
  return {
    async 'search/query'({ limit = usualHits, ...wish }) {
      const { hits, totalMatches, totalFiles, ...about } = await search.search(given(wish), signal);
      const { incomplete, partial, synced = false } = about;
      return { hits: hits.slice(0, limit), totalMatches, totalFiles, synced, ...given({ incomplete, partial }) };
    },
    async 'file/find'({ typed, limit = usualPaths }) {
      if (!isGlob(typed)) {
        const { paths, ...about } = await search.rank(typed, limit, signal);
        return { paths: [...paths], ...about };
      }
      const { paths, total, incomplete } = await search.find(typed, signal);
      return { paths: paths.slice(0, limit), total, synced: incomplete === undefined, ...given({ incomplete }) };
    },
    'index/status': () => search.indexStatus(),
    'index/rebuild': (_params, caller) => search.rebuildIndex(`${caller.hello?.name ?? 'a client'} asked`),
  };
}
