import { expect, test } from '@jest/globals';
import { chosenOption } from '../../src/common/chosen-option.ts';

const colours = ['red', 'blue'];

test.each<[string, readonly string[], string, string]>([
  ['a number chooses', colours, '2', 'blue'],
  ['a number chooses as it is listed', colours, ' 1. ', 'red'],
  ['a number chooses in brackets', colours, '1)', 'red'],
  ['a number chooses behind a hash', colours, '#2', 'blue'],
  ['words are words', colours, 'neither, take 3 of them', 'neither, take 3 of them'],
  ['an option may be said in its own words', colours, 'red', 'red'],
  ['a number that is an option is one, where no option has that number', ['80', '8080'], '8080', '8080'],
  ['the number of an option comes before the words of one', ['2', '4'], '2', '4'],
  ['without options a number is an answer', [], '3', '3'],
])('%s', (_, options, words, answer) => {
  expect(chosenOption(options, words)).toEqual({ kind: 'answer', answer });
});

test.each(['3', '0', '007', '3.', '99999999999999999999'])(
  '%s of two options is refused, with what there is',
  (words) => {
    const number = words.replace('.', '');
    expect(chosenOption(colours, words)).toEqual({
      kind: 'refused',
      says: `There is no option ${number}, only 1. red, 2. blue. Choose one, or answer in words.`,
    });
  },
);

test('a long option is named by its beginning', () => {
  const { says } = { says: '', ...chosenOption(['x'.repeat(99), 'two\nlines'], '3') };
  expect(says).toBe(`There is no option 3, only 1. ${'x'.repeat(59)}…, 2. two. Choose one, or answer in words.`);
});
