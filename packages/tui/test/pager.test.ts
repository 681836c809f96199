import { expect, test } from '@jest/globals';
import { commandRows } from '../src/app/commands.ts';
import { helpHang, helpLines } from '../src/app/help.ts';
import { createPager, type PageWish, textLines } from '../src/app/overlay.ts';
import { columnsOf } from '../src/text/clusters.ts';
import { type Line, lineText } from '../src/text/style.ts';

function shown(lines: readonly Line[], columns: number, wish?: PageWish): readonly string[] {
  const [, ...rows] = createPager('Title', () => lines, wish).lines(columns, 500);
  return rows.map((line) => lineText(line).trimEnd());
}

const text = textLines('  the quick brown fox jumps over');

test.each<[string, PageWish | undefined, readonly string[]]>([
  ['between words, a little further in', undefined, ['  the quick brown', '    fox jumps over']],
  ['as far in as is wished', { hang: 6 }, ['  the quick brown', '      fox jumps over']],
  ['not beyond the middle', { hang: 11 }, ['  the quick brown', '  fox jumps over']],
  ['inside a word, for code', { breaks: 'anywhere' }, ['  the quick brown fo', '    x jumps over']],
  ['nowhere: it is cut', { breaks: 'never' }, ['  the quick brown fo']],
])('a line of a page breaks %s', (_, wish, rows) => {
  expect(shown(text, 20, wish)).toEqual(rows);
});

test('the help has two columns at any width, and breaks no word', () => {
  const wordsOf = (row: string) => row.split(/[\s/-]+/);
  const words = new Set(helpLines(commandRows).flatMap((line) => wordsOf(lineText(line))));
  for (const columns of [68, 80, 100, 200]) {
    const rows = shown(helpLines(commandRows), columns, { hang: helpHang });
    for (const row of rows) {
      expect(columnsOf(row)).toBeLessThanOrEqual(columns);
      // What goes on stands under what it goes on with.
      expect(row).toMatch(/^(?:| {34}\S.*| \S.{31} {1,2}\S.*)$/);
      for (const word of wordsOf(row)) expect(words).toContain(word);
    }
  }
});
