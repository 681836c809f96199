import { expect, test } from '@jest/globals';
import { beginCommand, endTerminal, tellWritten } from '../src/terminals.ts';

/** What a terminal of the agent is told, piece by piece, and at the end. */
function told(pieces: readonly string[], shown = '', exitCode?: number): readonly string[] {
  let written = beginCommand(true);
  const data: string[] = [];
  for (const piece of pieces) {
    const { next, update } = tellWritten(written, 'c1', piece);
    written = next;
    if (update !== undefined) data.push(dataOf(update));
  }
  const { before } = endTerminal(written, 'c1', { shown, exitCode });
  return [...data, ...before.map(dataOf)];
}

function dataOf({ _meta }: { readonly _meta?: unknown }): string {
  return (_meta as { terminal_output: { data: string } }).terminal_output.data;
}

test.each<[string, readonly string[], readonly string[]]>([
  ['lines come as they are written', ['one\n', 'two\n'], ['one\n', 'two\n']],
  ['colours are left out, also where they come in two pieces', ['\x1b[3', '2mok\x1b[0m\n'], ['ok\n']],
  ['what would steer a terminal is shown, not done', ['a\x07b\x9bc\n'], ['a\\x07b\\x9bc\n']],
  [
    'of a line that is written over the newest is told, when it stands',
    ['10 %\r', '20 %\r30 %', '\r100 %\nok\n'],
    ['100 %\nok\n'],
  ],
  ['a line that never ends is told with the end', ['10 %\r20 %'], ['20 %']],
  ['line ends of Windows are line ends', ['a\r', '\nb\r\n'], ['a\nb\n']],
])('%s', (_, pieces, expected) => {
  expect(told(pieces)).toEqual(expected);
});

test('what was never looked at is told with the end, from the result', () => {
  expect(told([], 'one\ntwo\n')).toEqual(['one\ntwo\n']);
  expect(told(['one\n'], 'one\n')).toEqual(['one\n']);
});

test('an end without an exit code says so', () => {
  const { end } = endTerminal(beginCommand(true), 'c1', { shown: '', exitCode: undefined });
  expect(end._meta).toEqual({ terminal_exit: { terminal_id: 'c1', exit_code: null, signal: null } });
});

test('an editor without such terminals sees the end of the output as text, bounded', () => {
  const { update, next } = tellWritten(beginCommand(false), 'c1', `${'x'.repeat(5_000)}\nend`);
  const [shown] = update?.content ?? [];
  const text = shown?.type === 'content' && shown.content.type === 'text' ? shown.content.text : '';
  expect([text.length, text.endsWith('x\nend'), next.text.length]).toEqual([4_000, true, 4_000]);
});
