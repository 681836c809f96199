import { expect, test } from '@jest/globals';
import { keyAt, symbolsOf } from '@zerd/core/search/fold';
import { type PatternWish, planSearch } from '@zerd/core/search/plan-search';
import type { TrigramQuery } from '@zerd/core/search/trigram-query';
import fc from 'fast-check';

/** `abc bcd` for AND, `(a|b)` for OR. */
function wordsOf(query: TrigramQuery): string {
  if (query.kind === 'all' || query.kind === 'none') return query.kind;
  if (query.kind === 'or') return `(${query.parts.map(wordsOf).join('|')})`;
  return [...query.keys.map(textOf), ...query.parts.map(wordsOf)].join(' ');
}

function textOf(key: number): string {
  return String.fromCharCode(key >> 14, (key >> 7) & 127, key & 127);
}

function check(pattern: string, expected: string, wish: Partial<PatternWish> = {}) {
  const plan = planSearch({ pattern, ...wish });
  expect({ pattern, trigrams: plan && wordsOf(plan.trigrams) }).toEqual({ pattern, trigrams: expected });
}

test('a pattern becomes the trigrams that every match brings along', () => {
  check('needle', 'nee eed edl dle');
  check('Needle', 'nee eed edl dle');
  check('ab', 'all');
  check('abc|xyz', '(abc|xyz)');
  check('abc|x', 'all');
  check('foo.*bar', 'foo bar');
  check('a(bc)+d', 'abc bcd');
  check('x(foo|bar)y', '(xfo foo ooy|xba bar ary)');
  check('[Kk]ern', 'ker ern');
  check('abc?d', '(abc bcd|abd)');
  check('ab{2}c', 'abb bbc');
  check('\\w+_init\\(', '_in ini nit it(');
  check('^abc$', 'abc');
  check('foo\\nbar', 'foo bar');
  check('foo.bar', 'foo bar');
  check('foo.bar', 'foo oo. o.b .ba bar', { literal: true });
  check('(?i)\u00e9abc', 'abc');
});

test('what ripgrep might refuse, or what is not understood, is left to it', () => {
  for (const pattern of [
    'a{',
    '(',
    'a)',
    '[',
    '[z-a]',
    '*a',
    '\\8',
    'a{1001}',
    '(?x)a',
    '(?P<n>a)(?P<n>b)',
    '\\p{No such}',
  ]) {
    expect({ pattern, plan: planSearch({ pattern }) }).toEqual({ pattern, plan: undefined });
  }
  for (const pattern of [
    '(\\w+\\s)+x',
    'evil(a|aa)+[.]',
    '\\Aabc',
    '\\pLabc',
    '(?i)abc(?-i)d',
    'a\\nb',
    'x*',
    '[^\\W_]abc',
  ]) {
    expect({ pattern, matcher: planSearch({ pattern })?.matcher }).toEqual({ pattern, matcher: undefined });
  }
});

test('each text of an alternation has its trigrams where they are all that the pattern brings along', () => {
  const byText = (pattern: string, wish: Partial<PatternWish> = {}) => {
    const plan = planSearch({ pattern, ...wish });
    return [plan?.matcher?.inner?.texts, plan?.byText?.map(wordsOf)];
  };
  expect(byText('abcd|xyz')).toEqual([
    ['abcd', 'xyz'],
    ['abc bcd', 'xyz'],
  ]);
  expect(byText('\\babc\\b|^xyz')).toEqual([
    ['abc', 'xyz'],
    ['abc', 'xyz'],
  ]);
  for (const other of ['abc', 'abcd\\w+bcx|xyz', 'x(foo|bar)y', 'abc|xy', '(?i)abc|xyz']) {
    expect({ other, byText: planSearch({ pattern: other })?.byText }).toEqual({ other, byText: undefined });
  }
  expect(byText('abc|xyz', { multiline: true })).toEqual([undefined, undefined]);
});

test('smart case is that of what the pattern says literally', () => {
  const folds = (pattern: string) => planSearch({ pattern, smartCase: true })?.fold;
  expect([folds('abc'), folds('aBc'), folds('\\Wabc'), folds('[A-Z]x'), folds('\\x41bc')]).toEqual([
    ...['all', 'none', 'all', 'none', 'none'],
  ]);
});

test('smart case over a character that may be a capital for ripgrep or for Node is left to ripgrep', () => {
  const folds = (pattern: string, literal = false) => planSearch({ pattern, smartCase: true, literal })?.fold;
  expect(['a\u{16ea0}', 'a\\x{16ea0}', '[\u{16ea0}-\u{16ea3}]a', '(?i)a\u{16ea0}'].map((p) => folds(p))).toEqual([
    ...[undefined, undefined, undefined, undefined],
  ]);
  expect(folds('a\u{16ea0}', true)).toBeUndefined();
  expect(planSearch({ pattern: 'a\u{16ea0}' })?.fold).toBe('none');
});

test('a pattern says whether its letters count in any case, also if only some of them do', () => {
  const fold = (pattern: string, ignoreCase = false) => planSearch({ pattern, ignoreCase })?.fold;
  expect([fold('abc'), fold('abc', true), fold('(?i)a(?-i)b'), fold('^$', true)]).toEqual([
    'none',
    'all',
    'some',
    'none',
  ]);
});

test('a line is matched by JavaScript where that finds what ripgrep finds', () => {
  const matches = (wish: PatternWish, line: string) => {
    const { ascii, unicode } = planSearch(wish)?.matcher ?? {};
    return [ascii, unicode].map((regex) => regex && new RegExp(regex.source, regex.flags.replace('g', '')).test(line));
  };
  expect(matches({ pattern: 'a.c' }, 'a\rc')).toEqual([true, true]);
  expect(matches({ pattern: 'c$' }, 'abc\r')).toEqual([false, false]);
  expect(matches({ pattern: '\\w\\w' }, 'é1')).toEqual([false, true]);
  expect(matches({ pattern: 'kelvin', ignoreCase: true }, '\u212aelvin')).toEqual([false, true]);
  expect(matches({ pattern: 'foo', wholeWord: true }, 'foobar foo_ xfoo')).toEqual([false, false]);
  expect(matches({ pattern: 'foo', wholeWord: true }, 'x foo.')).toEqual([true, true]);
  expect(matches({ pattern: 'a[^b]c' }, 'a\nc')).toEqual([false, false]);
});

test('a text that holds a literal holds all of its trigrams, whatever the case of its letters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ minLength: 1, unit: 'grapheme' }), (around, literal) => {
      const plan = planSearch({ pattern: literal, literal: true });
      fc.pre(plan !== undefined && plan.trigrams.kind === 'and' && !literal.includes('\n'));
      const symbols = symbolsOf(around + literal.replaceAll(/[a-z]/g, (char) => char.toUpperCase()) + around);
      const keys = new Set(Array.from({ length: Math.max(0, symbols.length - 2) }, (_, at) => keyAt(symbols, at)));
      if (plan?.trigrams.kind === 'and') expect(plan.trigrams.keys.every((key) => keys.has(key))).toBe(true);
    }),
  );
});
