/** What is told of the index and of how fresh it is, and the check that `zerd doctor` makes of it. */
import type { Check, IndexReport } from '@zerd/protocol/common/search';
import type { KeptFresh } from './fresh/keep-fresh.ts';
import type { SearchIndex } from './index/contract.ts';

export interface IndexParts {
  readonly index: SearchIndex;
  readonly fresh: KeptFresh;
}

export const noIndex: IndexReport = {
  state: 'off',
  files: 0,
  corpusBytes: 0,
  indexBytes: 0,
  segments: 0,
  changed: 0,
  removed: 0,
  watch: { phase: 'off', folders: 0, overflows: 0 },
};

export function indexReport({ index, fresh }: IndexParts): IndexReport {
  const { blocks: _blocks, memoryBytes: _memory, ...status } = index.status();
  const { watches, ...watch } = fresh.state();
  return { ...status, watch: { ...watch, folders: watches } };
}

/** Expected states are in order; what slows every search is not. */
export function checkIndex(report: IndexReport): Check {
  const { state, files, indexBytes, watch, why, failed } = report;
  const size = `${files} files, ${(indexBytes / 1e6).toFixed(1)} MB`;
  const found = (says: string): Check => ({ name: 'index', ok: true, says });
  if (failed !== undefined)
    return {
      name: 'index',
      ok: false,
      says: `The last build failed (${failed.why}); searches ${state === 'ready' ? 'use the one before' : 'scan the tree'}.`,
      todo: 'Free space or mend the folder of the index, then run `zerd index rebuild`.',
    };
  switch (state) {
    case 'off':
      return found('There is none, by the setting `search.index`; searches scan the tree.');
    case 'none':
      return found(`None is built yet${why === undefined ? '' : ` (${why})`}; the first search begins it.`);
    case 'small':
      return found('The tree is so small that scanning it is as quick.');
    case 'building':
      return found('It is being built; searches scan the tree until then.');
    case 'refused':
      return {
        ...found('The home folder and / are not indexed; searches scan the tree.'),
        todo: 'Start zerd in a repository, or set `search.index` to "on".',
      };
    case 'ready':
      if (watch.phase !== 'polling') return found(`Ready: ${size}, ${phases[watch.phase]}.`);
      return {
        name: 'index',
        ok: false,
        says: `Ready: ${size}, but the tree cannot be watched (${watch.why ?? 'no reason known'}), so each search walks it.`,
        todo: 'Raise fs.inotify.max_user_watches (sysctl), then run `zerd index rebuild`.',
      };
  }
}

const phases = {
  off: 'not watched while nobody searches',
  starting: 'finding what changed meanwhile',
  live: 'each change is known at once',
  ended: 'the watch has ended and begins again with the next search',
} as const;
