/**
 * Ranks paths where no watch knows them: ripgrep lists them, and for the next keystrokes the list is kept a moment.
 * Invariant: a list that took too long is said to be incomplete.
 */
import { createPathTable, type PathTable } from '@zerd/core/search/fuzzy-paths';
import type { Clock } from '@zerd/protocol/node/clock';
import type { SearchService } from '../base/ports.ts';
import { startDeadline } from './deadline.ts';
import { listFiles } from './list-files.ts';

interface Listed {
  readonly table: PathTable;
  readonly at: number;
  readonly whole: boolean;
}

const keptMs = 3_000;
const deadlineMs = 1_000;

export function createListedRanking(root: string, clock: Clock): Pick<SearchService, 'rank'> {
  let listed: Listed | undefined;

  async function list(signal: AbortSignal): Promise<Listed> {
    const table = createPathTable();
    using deadline = startDeadline(deadlineMs, signal, clock);
    const onPath = (path: string): 'go' => {
      table.add(path);
      return 'go';
    };
    try {
      await listFiles({ root, target: './', flags: [], signal: deadline.signal, onPath });
    } catch (error) {
      if (!deadline.expired()) throw error;
      return { table, at: clock.now(), whole: false };
    }
    return { table, at: clock.now(), whole: true };
  }

  return {
    async rank(typed, limit, signal) {
      const kept = listed && clock.now() - listed.at < keptMs ? listed : undefined;
      const { table, whole } = kept ?? (await list(signal));
      listed = kept ?? { table, whole, at: clock.now() };
      const { ranked, total } = table.rank(typed, limit);
      const answer = { paths: ranked.map(({ path }) => path), total, synced: kept === undefined && whole };
      return whole ? answer : { ...answer, incomplete: `listing stopped after ${deadlineMs / 1_000} s` };
    },
  };
}
