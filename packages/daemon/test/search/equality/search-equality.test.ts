import { expect, test } from '@jest/globals';
import { openIndex } from '@zerd/daemon/search/index/open-index';
import { casesPerTree, runSeed } from './compare.ts';

const cases = Number(process.env.ZERD_CASES ?? 2_000);
const firstSeed = Number(process.env.ZERD_SEED ?? 1);

test(
  `over ${cases} seeded cases the index answers as ripgrep does, to the column and the count`,
  async () => {
    const routes: Record<string, number> = {};
    let [run, answered] = [0, 0];
    for (let seed = firstSeed; run < cases; seed += 1) {
      const outcome = await runSeed(openIndex, seed, Math.min(casesPerTree, cases - run));
      run += outcome.cases;
      answered += outcome.answered;
      for (const [route, count] of Object.entries(outcome.routes)) routes[route] = (routes[route] ?? 0) + count;
      expect(outcome.differences).toEqual([]);
    }
    // Most of them, by all routes: else nothing was compared.
    expect(answered).toBeGreaterThan(cases);
    for (const route of ['verify', 'ripgrep-candidates', 'ripgrep-tree', 'ordered-scan']) {
      expect({ route, count: routes[route] ?? 0 }).toEqual({ route, count: expect.any(Number) });
      expect(routes[route] ?? 0).toBeGreaterThan(5);
    }
    if (process.env.ZERD_CASES !== undefined)
      process.stdout.write(`${JSON.stringify({ cases: run, answered, routes })}\n`);
  },
  // About 15 ms a case where nobody else works; a machine that is shared may need many times that.
  Math.max(60_000, 1_000 * cases),
);
