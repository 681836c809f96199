import { expect, test } from '@jest/globals';
import { isGlob, parseGlob } from '@zerd/core/search/glob';
import fc from 'fast-check';

function check(glob: string, fitting: readonly string[], others: readonly string[]) {
  const { matches } = parseGlob(glob);
  expect({ glob, fitting: fitting.filter(matches), others: others.filter(matches) }).toEqual({
    glob,
    fitting,
    others: [],
  });
}

test('a glob without a slash means names in any folder', () => {
  check('*.ts', ['a.ts', 'src/a.ts', 'src/.ts'], ['a.tsx', 'ts', 'a.ts/b']);
  check('test_?.py', ['test_1.py', 'x/test_é.py'], ['test_12.py', 'test_.py']);
  check('*.{ts,tsx}', ['a.ts', 'b/c.tsx'], ['a.js', 'a.t']);
  check('[a-c]*[!0-9]', ['abc', 'x/b_'], ['dab', 'a1']);
});

test('a glob with a slash may begin at any folder, with a leading slash only at the root', () => {
  check('src/*.ts', ['src/a.ts', 'packages/x/src/a.ts'], ['src/deep/a.ts', 'xsrc/a.ts']);
  check('/src/*.ts', ['src/a.ts'], ['packages/x/src/a.ts']);
  check('src/**/a.ts', ['src/a.ts', 'src/x/y/a.ts'], ['src/x/ba.ts']);
  check('**/{test,spec}/**', ['test/a', 'x/spec/y/z'], ['tests/a']);
  check('docs/', ['docs/a/b.md', 'x/docs/c'], ['docs']);
});

test('a leading exclamation mark turns a glob around', () => {
  check('!*.test.ts', ['a.ts', 'src/b.js'], ['a.test.ts', 'x/a.test.ts']);
});

test('brackets and braces without an end are plain characters', () => {
  check('a{b', ['a{b', 'x/a{b'], ['ab']);
  check('a[b', ['a[b'], ['ab']);
});

test('commas and braces in a class, or behind a backslash, divide nothing', () => {
  check('*.{[ch],cpp}', ['a.c', 'b.h', 'x/y.cpp'], ['a.[ch]']);
  check('{[a,b]x,c}', ['ax', ',x', 'c'], ['[ax']);
  check('a{\\,,b}', ['a,', 'ab'], ['a']);
  check('[{]x[}]', ['{x}'], ['x']);
});

test('what is wrong with a glob is said; brackets and braces of a name do not make it a glob', () => {
  const faults = [
    '[',
    '[]',
    '[!',
    'a{b',
    'a}',
    '[b-a]',
    'x\\',
    `{${Array.from({ length: 201 }, (_, n) => n).join(',')}}`,
  ];
  expect(faults.map((glob) => parseGlob(glob).fault)).toEqual([
    'a character class is not closed, "]" is missing (write "[[]" for the bracket itself)',
    'a character class is not closed, "]" is missing (write "[[]" for the bracket itself)',
    'a character class is not closed, "]" is missing (write "[[]" for the bracket itself)',
    'a group is not closed, "}" is missing (write "[{]" for the brace itself)',
    'a group is not opened, "{" is missing (write "[}]" for the brace itself)',
    'the range b-a is empty',
    'a backslash at its end stands before nothing',
    'it stands for more than 200 names',
  ]);
  for (const glob of ['*.ts', '[]a]', '[!]]', '{a,{b,c}}', '!x', '', '[a-]', '{[}],b}', `{${'x,'.repeat(199)}a}`]) {
    expect({ glob, fault: parseGlob(glob).fault }).toEqual({ glob, fault: undefined });
  }
  expect(['app/[id', 'a}*', '*.ts', 'src/[id].ts', 'plain'].map(isGlob)).toEqual([false, false, true, true, false]);
});

test('what a glob is known to begin with, and the name it asks for, are given as they stand', () => {
  const facts = (glob: string) => {
    const { folder, name } = parseGlob(glob);
    return { folder, name };
  };
  expect(['.github/**', 'a/b/*.ts', '*.{a,b}', '{a/b,c}.ts', 'x/[ab]', '!*.ts'].map(facts)).toEqual([
    { folder: '.github', name: undefined },
    { folder: 'a/b', name: '*.ts' },
    { folder: '', name: '*.{a,b}' },
    { folder: '', name: undefined },
    { folder: 'x', name: undefined },
    { folder: '', name: undefined },
  ]);
});

test('many stars on a long name end at once', () => {
  expect(parseGlob(`${'*a'.repeat(60)}b`).matches('a'.repeat(20_000))).toBe(false);
});

test.each([
  ['many groups', '{a,b}'.repeat(40), 'a'.repeat(40), true],
  ['a group of 1,000', `{${'x,'.repeat(999)}a}`, 'x', true],
  ['groups without a choice', '{a}'.repeat(300_000), 'a', false],
  ['nested groups', `${'{'.repeat(100_000)}a${'}'.repeat(100_000)}`, 'a', false],
  ['a wide group', `{${'x,'.repeat(300_000)}a}`, 'x', false],
  ['more than any path has', 'a*'.repeat(400_000), 'a'.repeat(3_000), false],
])('a glob of %s is understood within bounds, and does not hang', (_, glob, path, fits) => {
  expect(parseGlob(glob).matches(path)).toBe(fits);
});

test('every path fits itself with its special characters escaped', () => {
  const segment = fc
    .string({ minLength: 1, maxLength: 12, unit: 'grapheme' })
    .map((text) => text.replace(/[/\\{}*?[\]!]/g, '_'));
  fc.assert(
    fc.property(fc.array(segment, { minLength: 1, maxLength: 4 }), (segments) => {
      const path = segments.join('/').replace(/^\.*\/?/, 'x');
      return parseGlob(`/${path}`).matches(path) && parseGlob('**').matches(path);
    }),
  );
});
