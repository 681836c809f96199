import { expect, test } from '@jest/globals';
import { saidItems, waysOut } from '../src/app/rewind.ts';

test('the messages to go back to are listed with the newest first, and with how much goes with each', () => {
  const said = [
    { seq: 1, text: 'one' },
    { seq: 9, text: 'two\n lines' },
  ];
  expect(saidItems(said)).toEqual([
    { label: 'two lines', detail: 'the newest', value: '9' },
    { label: 'one', detail: 'and 1 after it', value: '1' },
  ]);
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
