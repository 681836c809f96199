import { expect, test } from '@jest/globals';
import { sanitise } from '@zerd/protocol/common/sanitise';
import fc from 'fast-check';
import { loadColours } from '../src/markdown/code.ts';
import { renderMarkdown } from '../src/markdown/render.ts';
import { segmentsOf } from '../src/markdown/segments.ts';
import { encodeRow } from '../src/screen/encode-row.ts';
import { columnsOf } from '../src/text/clusters.ts';
import { type Line, lineText, span } from '../src/text/style.ts';
import { fit, lineColumns, wrap } from '../src/text/wrap.ts';

const shown = (lines: readonly Line[]) => lines.map(lineText);

test.each<[string, number]>([
  ['plain', 5],
  ['你好', 4],
  ['é (e and an accent)', 19],
  ['👍', 2],
  ['👨‍👩‍👧', 2],
  ['🇩🇪', 2],
  ['', 0],
])('%j takes %i columns', (text, columns) => {
  expect(columnsOf(text)).toBe(columns);
});

test.each<[string, number, readonly string[]]>([
  ['a few words to wrap', 8, ['a few', 'words to', 'wrap']],
  ['unbreakable', 4, ['unbr', 'eaka', 'ble']],
  ['你好世界', 5, ['你好', '世界']],
  ['short', 20, ['short']],
  ['a/very/long/path.ts', 10, ['a/very/', 'long/', 'path.ts']],
])('%j in %i columns', (text, columns, rows) => {
  expect(shown(wrap([span(text)], { columns }))).toEqual(rows);
});

test('a word that does not fit behind the indent is broken', () => {
  const rows = wrap([span(`x ${'y'.repeat(12)}`)], { columns: 10, hang: '    ' });
  expect(shown(rows)).toEqual(['x yyyyyyyy', '    yyyy']);
});

test('rows of ASCII are those that the same words have beside others', () => {
  const words = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '-', '/'), maxLength: 60 });
  const wish = fc.record({
    columns: fc.integer({ min: 3, max: 20 }),
    hang: fc.constantFrom('', '  '),
    anywhere: fc.boolean(),
  });
  fc.assert(
    fc.property(words, words, wish, (one, two, how) => {
      const wide = (text: string) => span(text.replaceAll('a', 'é'), { bold: true });
      const back = (lines: readonly Line[]) => shown(lines).map((row) => row.replaceAll('é', 'a'));
      const whole = (text: string) => span(text, { bold: true });
      const ascii = wrap([whole(one), span(two)], how);
      expect(shown(ascii)).toEqual(back(wrap([wide(`${one}`), wide(two)], how)));
      for (const row of ascii) expect(lineColumns(row)).toBeLessThanOrEqual(how.columns);
    }),
  );
});

test('a million characters on one line, of whatever script, and what nests without end, are laid out', () => {
  const bombs = [
    'word '.repeat(200_000),
    'á é '.repeat(10_000),
    `${'>'.repeat(20_000)} x`,
    '- '.repeat(8_000),
    Array.from({ length: 900 }, (_, depth) => `${'  '.repeat(depth)}- x`).join('\n'),
    `|${'a|'.repeat(1_000)}\n|${'-|'.repeat(1_000)}\n|${'b|'.repeat(1_000)}`,
    `${'a\n'.repeat(20_000)}===`,
  ];
  for (const bomb of bombs) {
    expect(segmentsOf(bomb).join('')).toBe(bomb);
    const rows = segmentsOf(bomb).flatMap((segment) => renderMarkdown(segment, 40));
    expect(rows.reduce((widest, row) => Math.max(widest, lineColumns(row)), 0)).toBeLessThanOrEqual(40);
  }
});

test('no row is wider than asked, and what is said stays said', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), fc.integer({ min: 2, max: 30 }), (raw, columns) => {
      const text = sanitise(raw).replaceAll(/[\n\t]/g, ' ');
      const rows = wrap([span(text)], { columns });
      for (const row of rows) expect(lineColumns(row)).toBeLessThanOrEqual(columns);
      const drawn = (value: string) => [...value].filter((one) => one !== ' ').join('');
      if (/^[\x20-\x7e]*$/.test(text)) expect(drawn(shown(rows).join(''))).toBe(drawn(text));
    }),
  );
});

test.each<[string, number, string]>([
  ['wide 你', 6, 'wide  '],
  ['ab', 4, 'ab  '],
  ['abcdef', 3, 'abc'],
])('%j is made to fit %i columns', (text, columns, expected) => {
  expect(lineText(fit([span(text)], columns))).toBe(expected);
});

test('a row leaves no style behind, and without colours it has none', () => {
  const line: Line = [span('a', { fg: 35, bold: true }), span('b')];
  expect(encodeRow(line, true)).toBe('\x1b[0;1;38;5;35ma\x1b[0mb');
  expect(encodeRow(line, false)).toBe('\x1b[0;1ma\x1b[0mb');
});

test('Markdown is laid out: lists, quotes, code in colours, tables, links with where they lead', async () => {
  await loadColours();
  const text = [
    '# Title',
    '',
    '- one',
    '- [x] done',
    '',
    '> said',
    '',
    '```js',
    'const a = "<b>";',
    '```',
    '',
    '| a | b |',
    '|---|---|',
    '| 1 | 你 |',
    '',
    '[here](https://example.com)',
  ].join('\n');
  expect(shown(renderMarkdown(text, 40))).toEqual([
    'Title',
    '',
    '• one',
    '[x] done',
    '',
    '│ said',
    '',
    '  const a = "<b>";',
    '',
    'a │ b ',
    '──┼───',
    '1 │ 你',
    '',
    'here (https://example.com)',
  ]);
});

test('a text is cut between blocks, never in a fence or a list, and joined it is the text', () => {
  const text = 'one\n\n```\na\n\nb\n```\n\n- x\n\n- y\n\nend';
  expect(segmentsOf(text)).toEqual(['one\n\n', '```\na\n\nb\n```\n\n', '- x\n\n- y\n\n', 'end']);
  const parts = fc.constantFrom('word ', '\n', '\n\n', '```\n', '- item\n', '    code\n', '~~~\n', '1. one\n');
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 40 }), (pieces) => {
      const whole = pieces.join('');
      expect(segmentsOf(whole).join('')).toBe(whole);
      // What was cut off does not change when more comes.
      const first = segmentsOf(whole).slice(0, -1);
      expect(segmentsOf(`${whole}more`).slice(0, first.length)).toEqual(first);
    }),
  );
});

test('S-60 to S-63: whatever bytes come in, no escape of their own goes out (50,000)', () => {
  const hostile = fc.constantFrom(
    '\x1b',
    '\x1b[',
    '\x1b]0;',
    '\x07',
    '\x9b',
    '\u202e',
    '\u{e0041}',
    '\x00',
    '\r',
    '\x1b[?1049l',
    '```\n',
    'a',
    '你',
    '|',
    '[x](\x1b)',
  );
  fc.assert(
    fc.property(
      fc.array(fc.oneof(hostile, fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 24 }),
      (pieces) => {
        const text = sanitise(pieces.join(''));
        for (const line of renderMarkdown(text, 30)) expect(hasControl(lineText(line))).toBe(false);
      },
    ),
    { numRuns: 2_500 },
  );
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (raw) => {
      const drawn = encodeRow([span(sanitise(raw).replaceAll(/[\n\t]/g, ' '))], false);
      expect(hasControl(drawn)).toBe(false);
    }),
    { numRuns: 47_500 },
  );
});

function hasControl(text: string): boolean {
  return /[\p{Cc}\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u.test(text);
}

test('a character takes the same columns however many others were looked at before', () => {
  const before = [columnsOf('漢é'), columnsOf('👩‍👩‍👧'), columnsOf('🇩🇪')];
  const many = Array.from({ length: 20_000 }, (_, at) => String.fromCodePoint(0x20000 + at)).join('');
  expect(columnsOf(many)).toBe(40_000);
  expect([columnsOf('漢é'), columnsOf('👩‍👩‍👧'), columnsOf('🇩🇪')]).toEqual(before);
});

test('the columns of a table are aligned as it says, and so are the rows of a cell', () => {
  const text = '| name | sum | middle |\n| --- | ---: | :---: |\n| a | 1 | 漢 |\n| b | 1000 | one two three |';
  expect(shown(renderMarkdown(text, 24)).map((row) => row.trimEnd())).toEqual([
    'name │  sum │   middle',
    '─────┼──────┼───────────',
    'a    │    1 │     漢',
    'b    │ 1000 │  one two',
    '     │      │   three',
  ]);
});
