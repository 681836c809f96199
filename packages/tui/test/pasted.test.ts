/** What is pasted: megabytes of it, with what steers a terminal, in pieces that end inside a character. */
import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import { composeFrame, type FrameParts } from '../src/app/frame.ts';
import { emptyEditor, insert, press } from '../src/input/editor.ts';
import { openScreen } from '../src/screen/blessed-screen.ts';
import type { Input } from '../src/screen/port.ts';
import { lineText } from '../src/text/style.ts';
import { key } from './keys.ts';

function shown(text: string, cursor = text.length, size = { columns: 20, rows: 9 }) {
  const parts: FrameParts = {
    transcript: () => [],
    overlay: undefined,
    around: () => [],
    ask: () => [],
    completions: () => [],
    input: { text, cursor, hint: '' },
    status: () => [],
  };
  const { lines, cursor: place } = composeFrame(parts, size);
  const rule = lines.findIndex((line) => lineText(line).startsWith('─'));
  const rows = lines.slice(rule + 1, -1).map(lineText);
  return { rows, cursor: { column: place?.column, row: (place?.row ?? 0) - rule - 1 } };
}

test.each<[string, string, number, readonly string[], { column: number; row: number }]>([
  ['a sequence is shown, not obeyed', 'a\x1b[2Jb', 6, ['> a\\x1b[2Jb'], { column: 11, row: 0 }],
  [
    'the end of many lines',
    `${'line\n'.repeat(300_000)}end`,
    1_500_003,
    ['  line', '  line', '  end'],
    { column: 5, row: 2 },
  ],
  ['their beginning', 'line\n'.repeat(300_000), 2, ['> line', '  line', '  line'], { column: 4, row: 0 }],
  ['their middle', 'line\n'.repeat(300_000), 750_000, ['  line', '  line', '  line'], { column: 2, row: 1 }],
  ['empty lines', '\n\n\n', 0, ['> ', '  ', '  '], { column: 2, row: 0 }],
  ['the end of empty lines', '\n\n\n', 3, ['  ', '  ', '  '], { column: 2, row: 2 }],
  ['two lines', 'ab\ncd', 4, ['> ab', '  cd'], { column: 3, row: 1 }],
])('%s', (_name, text, at, rows, cursor) => {
  expect(shown(text, at)).toEqual({ rows, cursor });
});

test('a line of a million characters, of whatever script, is shown where the cursor is', () => {
  for (const character of ['x', '漢', 'é']) {
    const { rows, cursor } = shown(`${character.repeat(1_000_000)}end`);
    expect(rows).toHaveLength(3);
    expect(rows[cursor.row]).toMatch(/d$/);
  }
});

test('a word behind megabytes of spaces or letters is deleted at once', () => {
  const cut = (text: string) => press(insert(emptyEditor, text), key('C-w'))?.text.length;
  expect(cut(`${' '.repeat(1_000_000)}x ${' '.repeat(1_000_000)}`)).toBe(1_000_000);
  expect(cut(`${'/'.repeat(500_000)}${'x'.repeat(500_000)}/`)).toBe(1_000_000);
});

test('a character whose bytes come in two pieces is one character', () => {
  const input = new PassThrough();
  const output = Object.assign(new PassThrough(), { columns: 80, rows: 24 });
  const screen = openScreen({ input: input as never, output: output as never, colours: true });
  const inputs: Input[] = [];
  screen.onInput((one) => inputs.push(one));
  try {
    for (const byte of Buffer.from('\x1b[200~你好 👍\x1b[201~')) input.emit('data', Buffer.from([byte]));
    expect(inputs).toEqual([{ kind: 'paste', text: '你好 👍' }]);
  } finally {
    screen.close();
  }
});
