import { expect, test } from '@jest/globals';
import { planSearch } from '@zerd/core/search/plan-search';
import { readingMs, ripgrepMs } from '@zerd/core/search/search-cost';

const middle = { files: 5_857, bytes: 70e6 };
const large = { files: 78_255, bytes: 1_299e6 };

/** Whether candidates are read one by one sooner than ripgrep searches the tree. */
function check(pattern: string, [files, bytes]: [number, number], tree: typeof middle, expected: boolean) {
  const matcher = planSearch({ pattern })?.matcher;
  const isSooner = matcher && readingMs({ files, bytes }, matcher, 32e6) < ripgrepMs(tree);
  expect({ pattern, files, isSooner }).toEqual({ pattern, files, isSooner: expected });
}

test('candidates are read one by one as long as that is sooner than a search by ripgrep', () => {
  check('intended', [349, 26e6], middle, true);
  check('Object', [1_670, 47e6], middle, true);
  check('function|return|export|import', [5_200, 68e6], middle, false);
  check('permi\\w+ ?=', [375, 23e6], middle, true);
  check('\\b[A-Z]{2}[0-9]{5}\\b', [5_857, 70e6], middle, false);
  check('return -ENOMEM;', [13_052, 210e6], large, true);
  check('include', [57_429, 900e6], large, false);
});

test('ripgrep needs longer for more files and for more bytes, and so does reading', () => {
  const matcher = planSearch({ pattern: 'word' })?.matcher;
  const less = { files: 10, bytes: 1e6 };
  for (const more of [
    { ...less, files: 20 },
    { ...less, bytes: 2e6 },
  ]) {
    expect(ripgrepMs(more)).toBeGreaterThan(ripgrepMs(less));
    if (matcher) expect(readingMs(more, matcher, 1e9)).toBeGreaterThan(readingMs(less, matcher, 1e9));
  }
});
