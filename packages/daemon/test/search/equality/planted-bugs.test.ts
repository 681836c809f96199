import { beforeEach, expect, jest, test } from '@jest/globals';
import * as fold from '@zerd/core/search/fold';
import * as postings from '@zerd/core/search/postings';
import * as translate from '@zerd/core/search/translate-regex';
import * as extract from '@zerd/daemon/search/index/extract-trigrams';
import * as content from '@zerd/daemon/search/index/file-content';
import * as list from '@zerd/daemon/search/index/list-tree';
import { packPaths, unpackPaths } from '@zerd/daemon/search/index/packed-paths';
import * as specials from '@zerd/daemon/search/index/special-letters';
import type { Outcome } from './compare.ts';

beforeEach(() => {
  jest.resetModules();
});

/** Runs seeds over an index with a module that has a bug, until the comparison sees it. */
async function isCaught(module: string, buggy: () => object): Promise<boolean> {
  jest.unstable_mockModule(module, buggy);
  const { openIndex } = await import('@zerd/daemon/search/index/open-index');
  const { runSeed } = await import('./compare.ts');
  let outcome: Outcome = { cases: 0, answered: 0, routes: {}, differences: [] };
  for (let seed = 1; seed <= 10 && outcome.differences.length === 0; seed += 1)
    outcome = await runSeed(openIndex, seed);
  return outcome.differences.length > 0;
}

const check = (what: string, module: string, buggy: () => object) =>
  test(`the comparison catches an index that ${what}`, async () => {
    expect(await isCaught(module, buggy)).toBe(true);
  });

check('keeps the case of letters', '@zerd/core/search/fold', () => ({
  ...fold,
  symbolOf: Uint8Array.from(fold.symbolOf, (symbol, byte) => (byte >= 0x41 && byte <= 0x5a ? 2 : symbol)),
}));

check('skips the edges of blocks', '@zerd/daemon/search/index/extract-trigrams', () => ({
  ...extract,
  createTrigramCollector(maxPairs: number): extract.TrigramCollector {
    const collector = extract.createTrigramCollector(maxPairs);
    return { ...collector, add: (block, folded) => collector.add(block.subarray(5), folded) };
  },
}));

check('ends a path at a newline', '@zerd/daemon/search/index/list-tree', () => ({
  ...list,
  listTree: async (...args: Parameters<typeof list.listTree>) =>
    packPaths(unpackPaths(await list.listTree(...args)).flatMap((path) => path.split('\n'))),
}));

check('forgets letters whose small letter is ASCII', '@zerd/daemon/search/index/special-letters', () => ({
  ...specials,
  withoutSpecials: (bytes: Buffer) => bytes,
}));

check('takes words for ASCII', '@zerd/core/search/translate-regex', () => ({
  ...translate,
  translateRegex(...args: Parameters<typeof translate.translateRegex>) {
    const right = translate.translateRegex(...args);
    const source = right?.unicode.source.replaceAll(/\\p\{Alphabetic\}(?:\\p\{\w+\})+/g, '\\w');
    return right && { ...right, unicode: { ...right.unicode, source } };
  },
}));

check('reads a byte order mark as text', '@zerd/daemon/search/index/file-content', () => ({
  ...content,
  readContent: (...args: Parameters<typeof content.readContent>) => {
    const read = content.readContent(...args);
    return read && { ...read, start: 0 };
  },
}));

check('takes the texts of an alternation for one another', '@zerd/core/search/postings', () => ({
  ...postings,
  markedUnion: (lists: readonly Uint32Array[]) => {
    const { numbers, marks } = postings.markedUnion(lists);
    return { numbers, marks: marks.map((mark) => (mark === 1 ? 2 : mark)) };
  },
}));

check('loses the last file that two lists have in common', '@zerd/core/search/postings', () => ({
  ...postings,
  intersect: (a: Uint32Array, b: Uint32Array) => postings.intersect(a, b).slice(0, -1),
}));
