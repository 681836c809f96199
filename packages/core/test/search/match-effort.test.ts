import { expect, test } from '@jest/globals';
import { planSearch } from '@zerd/core/search/plan-search';

function check(pattern: string, expected: { quick: boolean; backtracks: boolean; lead?: string }) {
  const { quick, backtracks, lead } = planSearch({ pattern })?.matcher ?? {};
  expect({ pattern, quick, backtracks, lead }).toEqual({ pattern, lead: undefined, ...expected });
}

test('a pattern of few choices is quick wherever it is matched', () => {
  for (const pattern of ['one|two|three', '[Kk]ernel.panic', '(?i)needle'])
    check(pattern, { quick: true, backtracks: false });
  check('needle', { quick: true, backtracks: false, lead: 'needle' });
  check('colou?r', { quick: true, backtracks: false, lead: 'colo' });
  check('ab{1,3}c', { quick: true, backtracks: false, lead: 'a' });
});

test('many choices in a row are not quick, nor is a repetition without end', () => {
  check('xa?b?c?d?e?f?g?', { quick: false, backtracks: false });
  check('(?:a|b)(?:a|b)(?:a|b)(?:a|b)(?:a|b)(?:a|b)(?:a|b)', { quick: false, backtracks: false });
  check('[a-z]{1,60}[a-z]{1,60}x', { quick: false, backtracks: false });
  check('.+needle', { quick: false, backtracks: true });
});

test('one repetition without end behind a text bounds the work by how often the text stands in a line', () => {
  check('_execut\\w+ ?=', { quick: false, backtracks: true, lead: '_execut' });
  check('\\b_execut\\w+', { quick: false, backtracks: true, lead: '_execut' });
  check('x.*y.*z', { quick: false, backtracks: true });
  check('\\w+_init', { quick: false, backtracks: true });
  check('(?i)_execut\\w+', { quick: false, backtracks: true });
});

test('how far a match goes from its first text is known where no part takes the rest of the line', () => {
  const reach = (pattern: string) => {
    const found = planSearch({ pattern })?.matcher?.reach;
    return found && { chars: found.chars, stops: found.stops.map(({ ascii }) => ascii.source) };
  };
  expect(reach('colou?r')).toEqual({ chars: 6, stops: [] });
  expect(reach('_execut\\w+ ?=')).toEqual({ chars: 9, stops: ['[^\\w\\n]'] });
  expect(reach('key: "[^"]*",(?:a|bc)')).toEqual({ chars: 10, stops: ['[\\x22]'] });
  expect(reach('a(?:x)+b')).toEqual({ chars: 2, stops: ['[^x\\n]'] });
  expect(reach('from\\w*\\s*\\(')).toEqual({ chars: 5, stops: ['[^\\w\\n]', '[^\\t\\v\\f\\r \\n]'] });
  expect(reach('from\\w*\\s*\\w*to')).toBeUndefined();
  expect(reach('from.*to')).toBeUndefined();
  expect(reach('from(?:ab)+to')).toBeUndefined();
  expect(reach('\\w+ from')).toBeUndefined();
});

test('of alternatives each brings a text of its own, and one of them is looked for first', () => {
  const inner = (pattern: string) => planSearch({ pattern })?.matcher?.inner;
  expect(inner('one|two\\w|(?:three|four)')).toEqual({
    texts: ['one', 'two', 'three', 'four'],
    fold: false,
    whole: false,
  });
  expect(inner('one|two')).toEqual({ texts: ['one', 'two'], fold: false, whole: true });
  expect(inner('(?i)ONE|two')).toEqual({ texts: ['one', 'two'], fold: true, whole: true });
  expect(inner('one|\\w+')).toBeUndefined();
  expect(inner(Array.from({ length: 20 }, (_, n) => `word${n}x`).join('|'))).toBeUndefined();
});
