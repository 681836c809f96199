import { expect, test } from '@jest/globals';
import { createPicker } from '../src/app/overlay.ts';
import { saidItems, waysOut } from '../src/app/rewind.ts';
import { lineText } from '../src/text/style.ts';
import { pressed } from './keys.ts';

test('the messages to go back to are listed with the newest first, and with how much goes with each', () => {
  const said = [
    { seq: 1, text: 'one' },
    { seq: 9, text: 'two\n lines' },
  ];
  expect(saidItems(said, 80)).toEqual([
    { label: 'two lines', detail: 'the newest', value: '9', find: 'two lines' },
    { label: 'one', detail: 'and 1 after it', value: '1', find: 'one' },
  ]);
});

test('a message that is too long for the screen leaves room for how much goes with it, and is found by what is not shown', () => {
  const check = (text: string, columns: number, label: string) => {
    const items = saidItems([{ seq: 1, text }], columns);
    expect(items.map((item) => item.label)).toEqual([label]);
    const list = createPicker({ title: 'T', items: () => items, pick: () => {} });
    const shown = () => list.lines(columns, 10).map((line) => lineText(line).trimEnd());
    expect(shown()[1]).toBe(` ${label}  the newest`);
    for (const key of ['e', 'n', 'd']) list.take(pressed(key));
    expect(shown()[1]).toBe(` ${label}  the newest`);
  };
  check(`${'word '.repeat(20)}end`, 40, 'word word word word word …');
  check(`${'漢'.repeat(40)} end`, 40, `${'漢'.repeat(12)}…`);
  check('a\u001b[2J\nb end', 40, 'a\\x1b[2J b end');
});

test('what is offered follows from what would become of the files; what is somebody else’s is never the first choice', () => {
  const check = (
    outcomes: readonly ('put back' | 'removed' | 'changed' | 'unknown' | 'as before')[],
    expected: object,
  ) => {
    const files = outcomes.map((outcome, n) => ({ path: `${n}.ts`, outcome }));
    const items = waysOut({ seq: 1, files, commands: 0 });
    expect(items.map(({ label, detail }) => `${label}: ${detail}`)).toEqual(expected);
  };
  const [alone, nothing] = ['The conversation alone: files stay as they are', 'Nothing: '];
  check([], [alone, nothing]);
  check(['as before'], [alone, nothing]);
  check(
    ['put back', 'removed', 'unknown'],
    ['The conversation and files: 2 put back, 1 stay as they are', alone, nothing],
  );
  check(
    ['put back', 'changed', 'changed'],
    [
      'The conversation and files: 1 put back, 2 stay as they are',
      alone,
      'Also files that something else changed too: 1.ts, 2.ts: what is there now is archived',
      nothing,
    ],
  );
});
