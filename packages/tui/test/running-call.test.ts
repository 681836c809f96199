import { expect, test } from '@jest/globals';
import { lineText } from '../src/text/style.ts';
import type { CallBlock } from '../src/transcript/blocks.ts';
import { layoutBlock } from '../src/transcript/layout.ts';

const begun: CallBlock = {
  kind: 'call',
  callId: 'c1',
  label: 'shell yes',
  outcome: undefined,
  startedAt: 0,
  durationMs: undefined,
  exitCode: undefined,
  shown: '',
  written: '',
  diff: undefined,
  job: undefined,
};

function rows(written: string, more: { columns?: number; open?: boolean } = {}): readonly string[] {
  const call = { ...begun, written };
  const [, ...shown] = layoutBlock(call, { columns: 24, open: false, thinking: false, now: 0, ...more });
  return shown.map(lineText);
}

const words = (shown: readonly string[]) => shown.map((row) => row.replace(/^ {4}/, '')).join('');

test.each([
  ['ascii', 'no end '],
  ['wide', '漢字'],
])('of a line that never ends the last rows are shown: %s', (_, piece) => {
  const written = `${piece.repeat(2_000)}.`;
  const shown = rows(written);
  expect(shown).toHaveLength(5);
  expect(written.endsWith(words(shown))).toBe(true);
});

test('rows are filled where several characters share a column', () => {
  expect(rows('👩‍👩‍👧'.repeat(2_000))).toHaveLength(5);
});

test('what is cut begins with a whole character', () => {
  const written = `a${'😀'.repeat(8_000)}`;
  for (const columns of [24, 25]) expect(words(rows(written, { columns }))).toMatch(/^(?:😀)+$/u);
});

test('short lines are shown whole, the last five, and more when it is opened', () => {
  const written = Array.from({ length: 30 }, (_, at) => `line ${at}\n`).join('');
  expect(rows(written)).toEqual([25, 26, 27, 28, 29].map((at) => `    line ${at}`));
  expect(rows(written, { open: true })).toHaveLength(30);
});

function ended(outcome: 'ok' | 'failed', shown: string, open = false): readonly string[] {
  const call = { ...begun, outcome, durationMs: 0, exitCode: outcome === 'ok' ? 0 : 1, shown };
  const [, ...below] = layoutBlock(call, { columns: 40, open, thinking: false, now: 0 });
  return below.map(lineText);
}
const printed = (count: number) => Array.from({ length: count }, (_, at) => `line ${at}\n`).join('');

test('of a call that failed the last rows stay, and how to see the rest; of one that went well nothing', () => {
  const last = [5, 6, 7, 8].map((at) => `    line ${at}`);
  expect(ended('failed', `${printed(9)}\n\n`)).toEqual(['    … 5 more rows: Ctrl-O', ...last]);
  expect(ended('failed', printed(5))).toEqual([0, 1, 2, 3, 4].map((at) => `    line ${at}`));
  expect(ended('failed', printed(9), true)).toHaveLength(9);
  expect(ended('failed', '')).toEqual([]);
  expect(ended('ok', printed(9))).toEqual([]);
});
