import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { diffRows, scrolled } from '../src/screen/diff-rows.ts';
import { flushInput, nothingRead, type Read, readInput } from '../src/screen/read-input.ts';

const key = (name: string, more: object = {}) => ({
  kind: 'key',
  key: { name, text: '', ctrl: false, alt: false, shift: false, ...more },
});

test.each<[string, string, readonly unknown[]]>([
  ['plain keys go on', 'ab\r', [{ kind: 'rest', text: 'ab\r' }]],
  ['an arrow goes on', '\x1b[A', [{ kind: 'rest', text: '\x1b[A' }]],
  [
    'a paste is one input with its line breaks',
    '\x1b[200~a\rb\x1b[201~c',
    [
      { kind: 'paste', text: 'a\nb' },
      { kind: 'rest', text: 'c' },
    ],
  ],
  ['a paste may hold sequences', '\x1b[200~\x1b[A\x1b[201~', [{ kind: 'paste', text: '\x1b[A' }]],
  [
    'the wheel',
    '\x1b[<64;10;5M\x1b[<65;10;5M',
    [
      { kind: 'wheel', lines: -3, row: 4 },
      { kind: 'wheel', lines: 3, row: 4 },
    ],
  ],
  ['a click, once', '\x1b[<0;3;4M\x1b[<0;3;4m', [{ kind: 'click', column: 2, row: 3 }]],
  ['Shift-Enter of kitty', '\x1b[13;2u', [key('enter', { shift: true })]],
  ['Escape of kitty', '\x1b[27u', [key('escape')]],
  ['Ctrl-C of kitty', '\x1b[99;5u', [key('c', { ctrl: true })]],
  [
    'focus',
    '\x1b[I\x1b[O',
    [
      { kind: 'focus', has: true },
      { kind: 'focus', has: false },
    ],
  ],
  ['a code that is no character', '\x1b[55296u', []],
])('%s', (_, bytes, events) => {
  expect(readInput(nothingRead, bytes)[1]).toEqual(events);
});

test('a lone Escape is held until it is quiet, and then goes on', () => {
  const [state, events] = readInput(nothingRead, '\x1b[');
  expect(events).toEqual([]);
  expect(flushInput(state)).toEqual([nothingRead, [{ kind: 'rest', text: '\x1b[' }]]);
});

test('however the bytes are split, the same events come out', () => {
  const piece = fc.constantFrom(
    'a',
    '\x1b[A',
    '\x1b[200~x\ry\x1b[201~',
    '\x1b[<64;1;1M',
    '\x1b[13;2u',
    '\x1b[I',
    'é',
    '\x1b[1;5C',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.array(fc.nat(60), { maxLength: 8 }), (pieces, cuts) => {
      const bytes = pieces.join('');
      expect(events(split(bytes, cuts))).toEqual(events([bytes]));
    }),
  );
});

function split(text: string, cuts: readonly number[]): readonly string[] {
  const at = [...new Set(cuts.filter((cut) => cut < text.length))].sort((a, b) => a - b);
  return [0, ...at].map((from, index) => text.slice(from, at[index]));
}

/** Neighbouring rests are one text: where they are cut does not matter to the parser of keys. */
function events(chunks: readonly string[]): readonly Read[] {
  let state = nothingRead;
  const all: Read[] = [];
  for (const chunk of chunks) {
    const [next, found] = readInput(state, chunk);
    state = next;
    for (const event of found) {
      const last = all.at(-1);
      if (event.kind === 'rest' && last?.kind === 'rest')
        all[all.length - 1] = { kind: 'rest', text: last.text + event.text };
      else all.push(event);
    }
  }
  return all;
}

test('applied to the old rows, the changes give the new ones', () => {
  const row = fc.constantFrom('a', 'b', 'c', 'd', '', 'e', 'f');
  fc.assert(
    fc.property(
      fc.array(row, { minLength: 12, maxLength: 12 }),
      fc.array(row, { minLength: 12, maxLength: 12 }),
      (old, now) => {
        const { scroll, rows } = diffRows(old, now);
        const screen = [...(scroll === undefined ? old : scrolled(old, scroll))];
        for (const { row: at, text } of rows) screen[at] = text;
        expect(screen).toEqual(now);
      },
    ),
    { numRuns: 1_000 },
  );
});

test('a text that scrolls up by one writes one row and the lines that stand still not at all', () => {
  const old = [...Array.from({ length: 20 }, (_, n) => `line ${n}`), 'input', 'status'];
  const now = [...Array.from({ length: 20 }, (_, n) => `line ${n + 1}`), 'input', 'status'];
  expect(diffRows(old, now)).toEqual({ scroll: { top: 0, bottom: 19, by: 1 }, rows: [{ row: 19, text: 'line 20' }] });
});
