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
