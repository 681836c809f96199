import { expect, test } from '@jest/globals';
import { planSearch } from '@zerd/core/search/plan-search';

function check(pattern: string, expected: { source: string | undefined; fromStart?: true }, wholeWord = false) {
  const { ascii, fromStart } = planSearch({ pattern, wholeWord })?.matcher ?? {};
  expect({ pattern, source: ascii?.source, fromStart }).toEqual({ pattern, fromStart: undefined, ...expected });
}

test('what takes the rest of the line is left off', () => {
  check('.*word', { source: 'word', fromStart: true });
  check('^.*word', { source: 'word', fromStart: true });
  check('^\\s*.*\\bword\\b', { source: '\\bword\\b', fromStart: true });
  check('^\\s*x?.*.*word', { source: 'word', fromStart: true });
  check('word.*', { source: 'word' });
  check('word.*$', { source: 'word' });
  check('^.*word.*$', { source: 'word', fromStart: true });
});

test('what says more than that stays', () => {
  check('^word', { source: '(?<![^\\n])word' });
  check('^\\s*word', { source: '(?<![^\\n])[\\t\\v\\f\\r ]*word' });
  check('.+word', { source: '[^\\n]+word' });
  check('^\\s+.*word', { source: '(?<![^\\n])[\\t\\v\\f\\r ]+[^\\n]*word' });
  check('(?:ab)*.*word', { source: '(?:ab)*[^\\n]*word' });
  check('word$', { source: 'word(?![^\\n])' });
  check('one.*two', { source: 'one[^\\n]*two' });
  check('.*word|x', { source: '[^\\n]*word|x' });
  check('.*', { source: undefined });
});

test('a whole word is judged with all of its pattern', () => {
  check('.*word', { source: '(?<![\\w])(?:[^\\n]*word)(?![\\w])' }, true);
});
