import { expect, test } from '@jest/globals';
import { linesOf, openDesk } from './desk.ts';

const numbered = (count: number, word = 'line') =>
  Array.from({ length: count }, (_, i) => `${word} ${i + 1} of a file\n`).join('');

test('a read of what is there unchanged is a pointer with call, lines and archive id', () => {
  const desk = openDesk();
  desk.put('a.ts', numbered(100));
  expect(desk.read('a.ts').text).toBe(numbered(100));
  const again = desk.read('a.ts');
  expect(again.text).toMatch(/^\[a\.ts unchanged since call 1: lines 1-100 above; archive [0-9a-f]{16}\]$/);
  expect(again.leansOn).toEqual(['c1']);
  const range = desk.read('a.ts', 40, 40);
  expect(range.text).toMatch(
    /^\[a\.ts unchanged since call 1: lines 40-79 above, from "line 40 of a file" on; archive [0-9a-f]{16}\]$/,
  );
});

test('a small file is shown again as it is', () => {
  const desk = openDesk();
  desk.put('a.ts', 'one\ntwo\n');
  desk.read('a.ts');
  expect(desk.read('a.ts')).toMatchObject({ text: 'one\ntwo\n', nothingNew: { of: 'a.ts', times: 1 } });
});

test('a read after an own edit says that nothing is new: the edit counts as seen', () => {
  const desk = openDesk();
  desk.put('a.ts', numbered(100));
  desk.read('a.ts');
  desk.edit('a.ts', 'line 50 of', 'line fifty\nof');
  expect(desk.read('a.ts').text).toMatch(/^\[a\.ts unchanged since calls 1 and 2: lines 1-101 above; archive \w+\]$/);
  expect(desk.read('a.ts', 60, 20).leansOn).toEqual(['c1', 'c2']);
  expect(desk.read('a.ts', 10, 20).text).toMatch(/lines 10-29 above, from "line 10 of a file" on/);
});

test('a file changed by somebody else comes as a diff against the last copy seen, own edits in it', () => {
  const desk = openDesk();
  desk.put('a.ts', numbered(100));
  desk.read('a.ts');
  desk.edit('a.ts', 'line 50 of a file', 'line fifty of a file');
  desk.put('a.ts', desk.text('a.ts').replace('line 80 of a file\n', 'line eighty\n'));
  const again = desk.read('a.ts');
  expect(linesOf(again.text)).toEqual([
    expect.stringMatching(/^\[a\.ts changed since calls 1 and 2, above, only in this; archive \w+\]$/),
    '@@ -77,7 +77,7 @@',
    ' line 77 of a file',
    ' line 78 of a file',
    ' line 79 of a file',
    '-line 80 of a file',
    '+line eighty',
    ' line 81 of a file',
    ' line 82 of a file',
    ' line 83 of a file',
  ]);
  expect(again.leansOn).toEqual(['c1', 'c2']);
  expect(desk.read('a.ts').text).toMatch(/^\[a\.ts unchanged since calls 1, 2 and 3: lines 1-100 above/);
});

test('of other lines only the new ones come, and one line names those above', () => {
  const desk = openDesk();
  desk.put('a.ts', numbered(100));
  desk.read('a.ts', 1, 40);
  const more = desk.read('a.ts', 21, 40);
  expect(linesOf(more.text)).toEqual([
    'a.ts lines 21-60 of 100',
    expect.stringMatching(
      /^\[a\.ts unchanged since call 1: lines 21-40 above, from "line 21 of a file" on; archive \w+\]$/,
    ),
    ...linesOf(numbered(100)).slice(40, 60),
  ]);
  expect(desk.read('a.ts', 1, 60).text).toMatch(/^\[a\.ts unchanged since calls 1 and 2: lines 1-60 above/);
});

test('P018: what a trim took away comes in full again, and is then what the next read points at', () => {
  const desk = openDesk();
  desk.put('a.ts', numbered(100));
  const { callId } = desk.read('a.ts');
  desk.read('a.ts');
  desk.trim(callId);
  expect(desk.read('a.ts').text).toBe(numbered(100));
  expect(desk.read('a.ts').text).toMatch(/unchanged since call 3/);
});

test('an edit whose arguments were stubbed is told as a diff against the copy that is still there', () => {
  const desk = openDesk();
  desk.put('a.ts', numbered(100));
  desk.read('a.ts');
  const edit = desk.edit('a.ts', 'line 50 of a file', 'line fifty');
  desk.trim(edit);
  const again = desk.read('a.ts');
  expect(again.text).toMatch(/^\[a\.ts changed since call 1, above, only in this/);
  expect(again.text).toContain('-line 50 of a file\n+line fifty\n');
});

test('P020: a write clears the record, whatever it wrote', () => {
  const desk = openDesk();
  desk.put('a.ts', numbered(100));
  desk.read('a.ts');
  desk.write('a.ts', numbered(100));
  expect(desk.read('a.ts').text).toBe(numbered(100));
});

test('a change that was not seen is no part of what is known after an own edit', () => {
  const desk = openDesk();
  desk.put('a.ts', numbered(100));
  desk.read('a.ts');
  desk.put('a.ts', desk.text('a.ts').replace('line 20 of', 'line TWENTY of'));
  desk.edit('a.ts', 'line 80 of', 'line EIGHTY of');
  const again = desk.read('a.ts');
  expect(again.text).toContain('line TWENTY of a file');
  expect(again.text.length).toBeLessThan(1_000);
});

test('after a change that nobody told, what still stands is pointed at, and no further change is told as a diff', () => {
  const desk = openDesk();
  desk.put('a.ts', numbered(100));
  desk.read('a.ts');
  desk.put('a.ts', desk.text('a.ts').replace('line 20 of a file', 'line twenty'));
  desk.edit('a.ts', 'line 60 of a file\n', numbered(30, 'row'));
  desk.put('a.ts', desk.text('a.ts').replace('row 15 of a file', 'row fifteen'));
  const rows = desk.read('a.ts', 60, 30);
  expect(linesOf(rows.text)).toEqual([
    'a.ts lines 60-89 of 129',
    expect.stringMatching(/^\[a\.ts unchanged since calls 1 and 2: lines 60-72 above, from "row 1 of a file" on; /),
    'row 14 of a file',
    'row fifteen',
    'row 16 of a file',
    expect.stringMatching(/^\[a\.ts unchanged since calls 1 and 2: lines 76-89 above, from "row 17 of a file" on; /),
  ]);
  const before = desk.read('a.ts', 1, 40);
  expect(linesOf(before.text)).toEqual([
    'a.ts lines 1-40 of 129',
    expect.stringMatching(/^\[a\.ts unchanged since call 1: lines 1-18 above, /),
    'line 19 of a file',
    'line twenty',
    'line 21 of a file',
    expect.stringMatching(/^\[a\.ts unchanged since calls 1 and 2: lines 22-40 above, /),
  ]);
});

test('a file that was shown whole after an untold change is compared with that again', () => {
  const desk = openDesk();
  desk.put('a.ts', numbered(40));
  desk.read('a.ts');
  desk.put('a.ts', numbered(40).replaceAll(/(?<=line \d*[05]) of a file/g, ' of another'));
  expect(desk.read('a.ts').reads).toContainEqual(expect.objectContaining({ firstLine: 1, lastLine: 40 }));
  desk.put('a.ts', desk.text('a.ts').replace('line 20 of another', 'line twenty'));
  const again = desk.read('a.ts');
  expect(again.text).toMatch(/^\[a\.ts changed since call 2, above, only in this/);
  expect(again.leansOn).toEqual(['c2']);
});

test('a file that changed more than a diff is worth comes in full', () => {
  const desk = openDesk();
  desk.put('a.ts', numbered(100));
  desk.read('a.ts');
  desk.put('a.ts', numbered(100, 'row'));
  expect(desk.read('a.ts').text).toBe(numbered(100, 'row'));
});

test('P116: a large file that was cut is not shown twice', () => {
  const desk = openDesk();
  desk.put('big.html', numbered(20_000));
  const first = desk.read('big.html');
  expect(first.text.length).toBeLessThanOrEqual(16_000);
  expect(desk.read('big.html').text).toMatch(/^\[same as call 1, above; archive \w+\]$/);
  const middle = desk.read('big.html', 5_000, 40);
  expect(linesOf(middle.text).slice(1)).toEqual(linesOf(numbered(20_000)).slice(4_999, 5_039));
});

test('a file read through the shell counts, and so does what of it was left out', () => {
  const desk = openDesk();
  desk.put('a.log', numbered(100));
  desk.cat('a.log');
  expect(desk.read('a.log').text).toMatch(/^\[a\.log unchanged since call 1: lines 1-100 above/);
  const words = ['apple', 'river', 'stone', 'cloud', 'tiger'];
  const entries = Array.from(
    { length: 400 },
    (_, i) => `${words[i % 5]} ${words[(i * 7) % 4]} ${'abcdefghij'[i % 10]}${'z'.repeat(i % 7)}\n`,
  );
  desk.put('b.log', entries.join(''));
  const cut = desk.cat('b.log');
  const [, from = 0, to = 0] = /lines \((\d+)-(\d+)\)/.exec(cut.text)?.map(Number) ?? [];
  expect(cut.reads).toEqual([
    expect.objectContaining({ path: 'b.log', firstLine: 1, lastLine: from - 1, lines: 400 }),
    expect.objectContaining({ path: 'b.log', firstLine: to + 1, lastLine: 400, lines: 400 }),
  ]);
  expect(linesOf(desk.read('b.log', from, 20).text).slice(1)).toEqual(
    linesOf(entries.slice(from - 1, from + 19).join('')),
  );
});

test('lines that are too long to show whole are not taken for known', () => {
  const desk = openDesk();
  desk.put('a.ts', `${numbered(30)}${'x'.repeat(900)}\n${numbered(30, 'tail')}`);
  desk.read('a.ts');
  const again = desk.read('a.ts', 1, 31);
  expect(again.text).toContain('xxxx');
});
