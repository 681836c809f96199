import { expect, test } from '@jest/globals';
import { commandIn } from '@zerd/protocol/common/skill-call';
import fc from 'fast-check';
import { asTyped, completing } from '../src/input/complete.ts';
import { type Editor, emptyEditor, insert, press, remembering, sent } from '../src/input/editor.ts';
import { key } from './keys.ts';

/** `|` is the cursor. */
function after(start: string, ...keys: readonly string[]): string {
  const cursor = start.indexOf('|');
  const begun: Editor = { ...emptyEditor, text: start.replace('|', ''), cursor };
  const { text, cursor: end } = keys.reduce((editor, name) => press(editor, key(name)) ?? editor, begun);
  return `${text.slice(0, end)}|${text.slice(end)}`;
}

test.each<[string, readonly string[], string]>([
  ['ab|', ['x'], 'abx|'],
  ['ab|cd', ['left', 'y'], 'ay|bcd'],
  ['one two|', ['C-w'], 'one |'],
  ['one two|', ['C-a', 'C-k'], '|'],
  ['one two|', ['C-w', 'C-y', 'C-y'], 'one twotwo|'],
  ['one| two', ['C-u'], '| two'],
  ['a👨‍👩‍👧|', ['backspace'], 'a|'],
  ['|é', ['right'], 'é|'],
  ['a\nb|', ['up', 'x'], 'ax|\nb'],
  ['long line\nb|', ['up'], 'l|ong line\nb'],
  ['你好\nab|', ['up'], '你|好\nab'],
  ['a|', ['M-enter', 'b'], 'a\nb|'],
  ['a|', ['C-j'], 'a\n|'],
  ['ab|', ['C-w', 'C-z'], 'ab|'],
  ['foo.bar|', ['M-b'], 'foo.|bar'],
  ['|', ['backspace', 'left', 'delete'], '|'],
])('%j and %j give %j', (start, keys, expected) => {
  expect(after(start, ...keys)).toBe(expected);
});

test('what was said before comes back, and what was being written is there again behind it', () => {
  const editor = insert(sent(sent(emptyEditor, 'first'), 'second'), 'draft');
  const up = press(editor, key('up')) ?? editor;
  const upper = press(up, key('up')) ?? up;
  const down = ['down', 'down'].reduce((state, name) => press(state, key(name)) ?? state, upper);
  expect([up.text, upper.text, down.text]).toEqual(['second', 'first', 'draft']);
});

test('whatever is pressed, the cursor stands in the text', () => {
  const keys = fc.constantFrom(
    'left',
    'right',
    'up',
    'down',
    'C-a',
    'C-e',
    'C-k',
    'C-u',
    'C-w',
    'C-y',
    'C-z',
    'M-b',
    'M-f',
    'backspace',
    'delete',
    'C-j',
    'a',
    'é',
    '你',
    '👍',
  );
  fc.assert(
    fc.property(fc.array(keys, { maxLength: 60 }), (names) => {
      let editor = sent(emptyEditor, 'said before\nin two lines');
      for (const name of names) {
        editor = press(editor, key(name)) ?? editor;
        expect(editor.cursor).toBeGreaterThanOrEqual(0);
        expect(editor.cursor).toBeLessThanOrEqual(editor.text.length);
        expect(/\p{Cs}/u.test(editor.text)).toBe(false);
      }
    }),
  );
});

test.each<[string, ReturnType<typeof completing>]>([
  ['/co', { kind: 'command', typed: 'co', from: 0, to: 3 }],
  ['see @src/a', { kind: 'file', typed: 'src/a', from: 4, to: 10 }],
  ['@', { kind: 'file', typed: '', from: 0, to: 1 }],
  ['mail a@b', undefined],
  ['say /co', undefined],
])('what of %j can be completed', (text, expected) => {
  expect(completing(text, text.length)).toEqual(expected);
});

test.each<[string, ReturnType<typeof commandIn>]>([
  ['/model sim/sim', { name: 'model', rest: 'sim/sim' }],
  ['/cost', { name: 'cost', rest: '' }],
  ['//cost', undefined],
  ['/usr/bin/env', undefined],
  ['fix /cost', undefined],
])('what %j commands', (text, expected) => {
  expect(commandIn(text)).toEqual(expected);
});

test('what was said in a session that is opened comes with Up, newest first, before what was said elsewhere', () => {
  const up = (editor: Editor) => press(editor, key('up')) ?? editor;
  const here = remembering(sent(sent(emptyEditor, 'elsewhere'), 'again'), ['again', 'first', 'second']);
  expect(here.history).toEqual(['elsewhere', 'again', 'first', 'second']);
  expect([up(here).text, up(up(up(here))).text]).toEqual(['second', 'again']);
  const draft = insert(here, 'half a thought');
  expect(remembering(up(draft), ['third'])).toMatchObject({ text: 'half a thought', at: undefined });
  expect(remembering(draft, ['third'])).toMatchObject({ text: 'half a thought', cursor: 14 });
  expect(
    remembering(
      emptyEditor,
      Array.from({ length: 900 }, (_, at) => `${at}`),
    ).history,
  ).toHaveLength(500);
});

test.each([
  ['hello', 'hello'],
  ['/tmp/x is full', '/tmp/x is full'],
  ['/help me', '//help me'],
  ['//x', '///x'],
])('what was said as %j is typed as %j', (said, typedAs) => {
  expect(asTyped(said)).toBe(typedAs);
});
