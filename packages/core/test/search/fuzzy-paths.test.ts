import { expect, test } from '@jest/globals';
import { createPathTable } from '@zerd/core/search/fuzzy-paths';
import fc from 'fast-check';

const paths = [
  'packages/core/src/session/fold.ts',
  'packages/core/test/session/fold.test.ts',
  'packages/core/src/session/folder.ts',
  'packages/daemon/src/store/folder.ts',
  'packages/cli/src/options.ts',
  'docs/unfold.md',
  'README.md',
];

function check(typed: string, expected: readonly string[]) {
  const { ranked } = createPathTable(paths).rank(typed, 10);
  expect({ typed, paths: ranked.map(({ path }) => path) }).toEqual({ typed, paths: expected });
}

test('the name itself comes first, then what begins with it, then what holds it, then its letters in order', () => {
  check('fold.ts', [
    'packages/core/src/session/fold.ts',
    'packages/core/test/session/fold.test.ts',
    'packages/core/src/session/folder.ts',
    'packages/daemon/src/store/folder.ts',
  ]);
  check('fold', [
    'packages/core/src/session/fold.ts',
    'packages/core/test/session/fold.test.ts',
    'packages/core/src/session/folder.ts',
    'packages/daemon/src/store/folder.ts',
    'docs/unfold.md',
  ]);
  check('opt', ['packages/cli/src/options.ts']);
  check('rdm', ['README.md']);
  check('clopt', ['packages/cli/src/options.ts']);
});

test('words must all fit, in any order and in any case', () => {
  check('daemon FOLDER', ['packages/daemon/src/store/folder.ts']);
  check('folder daemon', ['packages/daemon/src/store/folder.ts']);
  check('daemon options', []);
  check('zzz', []);
});

test('part of a path with its slash fits folders', () => {
  check('cli/src', ['packages/cli/src/options.ts']);
  check('core/fold.ts', [
    'packages/core/src/session/fold.ts',
    'packages/core/src/session/folder.ts',
    'packages/daemon/src/store/folder.ts',
    'packages/core/test/session/fold.test.ts',
  ]);
});

test('what was removed is not found, and what was added is', () => {
  const table = createPathTable(paths);
  table.remove('README.md');
  table.remove('not/there.ts');
  table.add('src/Readme.txt');
  table.add('src/Readme.txt');
  expect(table.rank('readme', 5)).toEqual({
    ranked: [{ path: 'src/Readme.txt', score: expect.any(Number) }],
    total: 1,
  });
  expect([table.size(), table.has('README.md'), [...table.paths()].length]).toEqual([7, false, 7]);
});

const name = fc.stringMatching(/^[a-cA-C./_-]{1,12}$/);

function holdsLetters(path: string, word: string): boolean {
  let at = -1;
  for (const letter of word.toLowerCase()) {
    at = path.toLowerCase().indexOf(letter, at + 1);
    if (at < 0) return false;
  }
  return true;
}

test('a path fits exactly when it has the letters in their order, and the list does not depend on the order of the table', () => {
  fc.assert(
    fc.property(fc.uniqueArray(name, { maxLength: 30 }), name, fc.nat(20), (all, typed, limit) => {
      const { ranked, total } = createPathTable(all).rank(typed, limit);
      const fitting = all.filter((path) => holdsLetters(path, typed));
      expect(total).toBe(fitting.length);
      expect(ranked).toHaveLength(Math.min(limit, total));
      for (const { path } of ranked) expect(fitting).toContain(path);
      expect(createPathTable(all.toReversed()).rank(typed, limit)).toEqual({ ranked, total });
    }),
  );
});

test('whatever holds the word in one piece comes before what only has its letters', () => {
  fc.assert(
    fc.property(fc.uniqueArray(name, { maxLength: 30 }), name, (all, typed) => {
      const { ranked } = createPathTable(all).rank(typed, 30);
      const whole = ranked.map(({ path }) => path.toLowerCase().includes(typed.toLowerCase()));
      expect(whole).toEqual(whole.toSorted((a, b) => Number(b) - Number(a)));
    }),
  );
});
