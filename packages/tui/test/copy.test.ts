import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import { copy } from '../src/app/copy.ts';
import type { Desk } from '../src/app/desk.ts';
import { openScreen } from '../src/screen/blessed-screen.ts';
import type { Block } from '../src/transcript/blocks.ts';

const answer = (text: string): Block => ({ kind: 'answer', text, requestId: 'req_1' });

/** What is on the clipboard, and what is said of it. */
function copied(rest: string, ...blocks: readonly Block[]) {
  const told: string[] = [];
  let clipboard: string | undefined;
  const put = (text: string) => {
    clipboard = text;
  };
  copy({ blocks, copy: put, say: (_: string, text: string) => void told.push(text) } as unknown as Desk, rest);
  return [clipboard, ...told];
}

const done = (lines: string) => `Copied: ${lines}, where the terminal lets programs do that.`;
const code = 'Look:\n\n```ts\nconst a = 1;\n```\n\nand\n\n~~~~sh\nls\n```\nmore\n~~~~\n\nthat is all.';

test('the last answer is copied as it was written', () => {
  expect(copied('', answer('one'), answer('**two**\n\n- x\n'), answer('  '), { kind: 'user', text: 'hm' })).toEqual([
    '**two**\n\n- x\n',
    done('3 lines'),
  ]);
  expect(copied('', { kind: 'user', text: 'hm' })).toEqual([undefined, 'Nothing was answered yet.']);
});

test('the last code is copied without its fences, also of an earlier answer', () => {
  expect(copied('code', answer(code))).toEqual(['ls\n```\nmore\n', done('3 lines')]);
  expect(copied('code', answer('```\nx\n```'), answer('Well.'))).toEqual(['x\n', done('1 line')]);
  expect(copied('code', answer('```\nnot ended'))).toEqual([undefined, 'No code was written yet.']);
});

test('what a terminal would not take is refused whole', () => {
  expect(() => copied('', answer('x'.repeat(80_000)))).toThrow('nothing was copied: /export writes a file.');
  expect(() => copied('all', answer('x'))).toThrow("/copy takes nothing, or code: 'all' was not understood.");
});

test('the terminal is given the text in a form that steers nothing', () => {
  const output = Object.assign(new PassThrough(), { columns: 80, rows: 24 });
  const screen = openScreen({ input: new PassThrough() as never, output: output as never, colours: true });
  try {
    output.read();
    screen.copy('漢 \x1b[2J');
    expect(String(output.read())).toBe(`\x1b]52;c;${Buffer.from('漢 \x1b[2J').toString('base64')}\x07`);
  } finally {
    screen.close();
  }
});
