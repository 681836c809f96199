import { expect, test } from '@jest/globals';
import type { PendingApproval } from '@zerd/protocol/common/methods';
import { createAsk } from '../src/app/ask.ts';
import { lineText } from '../src/text/style.ts';
import { pressed } from './keys.ts';

const approval = (more: Partial<PendingApproval> = {}): PendingApproval => ({
  approvalId: 'apr_1' as never,
  turnId: 'turn_1' as never,
  tool: 'shell',
  asks: 'shell: npm test -- a.test.ts',
  digest: 'd',
  ...more,
});
const offered = approval({ always: ['npm test *'] });

function shown(one: PendingApproval) {
  let now = 0;
  const ask = createAsk(() => now);
  ask.set([{ kind: 'approval', id: one.approvalId, approval: one }]);
  ask.lines(80, 10);
  now += 1_000;
  return ask;
}

test('what would be allowed for good stands under what is asked, and has a key', () => {
  expect(
    shown(offered)
      .lines(80, 10)
      .map(lineText)
      .map((text) => text.trimEnd()),
  ).toEqual([
    '? May this run? (shell)',
    '  shell: npm test -- a.test.ts',
    '  a: always in this repository: npm test *',
    '  y allow   a always   n refuse   (with an empty input)',
  ]);
});

test.each([
  ['y', offered, { kind: 'approval', approval: offered, says: 'yes' }],
  ['a', offered, { kind: 'approval', approval: offered, says: 'always' }],
  ['n', offered, { kind: 'approval', approval: offered, says: 'no' }],
  ['a', approval(), false],
  ['x', offered, false],
])('the key %s', (name, one, expected) => {
  expect(shown(one).take(pressed(name))).toEqual(expected);
});

test('S-47: what would be allowed for good is not allowed before it was in sight, in 40 columns and 10,000 characters', () => {
  let now = 0;
  const ask = createAsk(() => now);
  const command = `touch ${'x'.repeat(9_980)} 'a\nb'`;
  const one = approval({ asks: `shell: ${command}`, always: [command] });
  ask.set([{ kind: 'approval', id: one.approvalId, approval: one }]);
  const lines = () => ask.lines(40, 12).map(lineText);
  expect(lines().every((line) => !line.includes('\n') && line.length <= 40)).toBe(true);
  expect(lines().join('\n')).not.toContain('always in');
  now += 1_000;
  expect(ask.take(pressed('a'))).toBe(true);
  expect(lines().at(-2)).toContain(String.raw`\nb'`);
  expect(ask.take(pressed('a'))).toEqual({ kind: 'approval', approval: one, says: 'always' });
});
