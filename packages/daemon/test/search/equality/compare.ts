/** Runs cases of a seed: a tree, an index of it, queries, each answered by the index and by ripgrep. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SearchAnswer, SearchQuery } from '@zerd/daemon/base/ports';
import type { OpenIndex, SearchIndex } from '@zerd/daemon/search/index/contract';
import { createRipgrepSearch } from '@zerd/daemon/search/ripgrep';
import { isZerdError } from '@zerd/protocol/common/errors';
import { systemClock } from '@zerd/protocol/node/clock';
import { laterClock } from '../later-clock.ts';
import { type Random, randomOf } from './random.ts';
import { queryOf } from './random-query.ts';
import { plantTree } from './torture-tree.ts';

export interface Difference {
  readonly seed: number;
  readonly query: SearchQuery;
  readonly route: string;
  /** What only one of the two has, at most a few of each. */
  readonly index: readonly string[];
  readonly ripgrep: readonly string[];
}

export interface Outcome {
  readonly cases: number;
  /** Of these, the index answered. */
  readonly answered: number;
  readonly routes: Readonly<Record<string, number>>;
  readonly differences: readonly Difference[];
}

export const casesPerTree = 40;
/** While one waits for ripgrep, another goes on. */
const together = 4;
const never = new AbortController().signal;

/** One index with blocks of the usual size, one with tiny ones that lets ripgrep count as soon as it may. */
const variants = [{}, { blockBytes: 64, spillPairs: 20_000, largeBytes: 0 }];

/** What is compared is the answers, not a busy machine's patience. */
const patienceMs = 600_000;

export async function runSeed(openIndex: OpenIndex, seed: number, cases = casesPerTree): Promise<Outcome> {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'equality-')));
  const indexes: SearchIndex[] = [];
  try {
    const root = join(top, 'tree');
    const random = randomOf(seed);
    const files = plantTree(root, random);
    // Now and then all files are as if written just now.
    const clock = random.chance(0.05) ? systemClock : laterClock;
    for (const [n, variant] of variants.entries()) {
      const index = await openIndex({
        clock,
        timeoutMs: patienceMs,
        folder: join(top, `index-${n}`),
        root,
        smallFiles: 0,
        threads: false,
        ...variant,
      });
      indexes.push(index);
      await index.rebuild('a test');
    }
    const queries = random.some(cases, cases, () => queryOf(random, files));
    return await runCases({ root, seed, random, indexes, queries });
  } finally {
    for (const index of indexes) await index.close();
    rmSync(top, { recursive: true, force: true });
  }
}

interface Cases {
  readonly root: string;
  readonly seed: number;
  readonly random: Random;
  readonly indexes: readonly SearchIndex[];
  readonly queries: readonly SearchQuery[];
}

async function runCases({ root, seed, random, indexes, queries }: Cases): Promise<Outcome> {
  const scan = createRipgrepSearch(root, { timeoutMs: patienceMs });
  const differences: Difference[] = [];
  const routes: Record<string, number> = {};
  let answered = 0;
  async function runCase(query: SearchQuery): Promise<void> {
    let expected: unknown;
    // Both for every other query: most of the time is ripgrep's.
    for (const index of random.chance(0.5) ? indexes : indexes.slice(0, 1)) {
      const found = await index.query(query, never);
      routes[found?.route ?? 'scan'] = (routes[found?.route ?? 'scan'] ?? 0) + 1;
      if (found === undefined) continue;
      answered += 1;
      expected ??= await scan
        .search(query, never)
        .catch((error: unknown) => (isZerdError(error) ? error.message : error));
      if (isEqual(found.answer, expected)) continue;
      const [left, right] = [factsOf(found.answer), factsOf(expected)];
      const only = (a: string[], b: string[]) => a.filter((fact) => !b.includes(fact)).slice(0, 3);
      differences.push({ seed, query, route: found.route, index: only(left, right), ripgrep: only(right, left) });
    }
  }
  for (let at = 0; at < queries.length; at += together) {
    await Promise.all(queries.slice(at, at + together).map(runCase));
  }
  return { cases: queries.length, answered, routes, differences };
}

function isEqual(answer: SearchAnswer, expected: unknown): boolean {
  if (typeof expected !== 'object' || expected === null) return false;
  // Ended early, as it was asked to: the first hits are those of ripgrep, and totals are of what was looked at.
  if (/^stopped after the first/.test(answer.incomplete ?? '')) {
    return JSON.stringify(answer.hits) === JSON.stringify((expected as SearchAnswer).hits);
  }
  return stable(answer) === stable(expected as SearchAnswer);
}

/** Why some file could not be read is worded by ripgrep in either way. */
function stable({ hits, totalMatches, totalFiles, files, partial, incomplete }: SearchAnswer): string {
  return JSON.stringify({ hits, totalMatches, totalFiles, files, partial, cut: incomplete !== undefined });
}

function factsOf(answer: unknown): string[] {
  if (typeof answer !== 'object' || answer === null || !('hits' in answer)) return [String(answer)];
  const { hits, files, ...rest } = answer as SearchAnswer;
  return [...hits, ...(files ?? []), rest].map((fact) => JSON.stringify(fact));
}
