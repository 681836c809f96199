import { expect, test } from '@jest/globals';
import type { PendingApproval } from '@zerd/protocol/common/methods';
import type { PendingNotice } from '@zerd/protocol/node/follow';
import { subagentLines } from '../../src/present/subagent-asks.ts';

const approval = {
  approvalId: 'apr_1',
  turnId: 'turn_1',
  tool: 'shell',
  asks: 'rm a\nrm b',
  digest: 'd',
} as PendingApproval;
const question = { questionId: 'qst_1', turnId: 'turn_1', text: 'Which?', options: [], askedAt: 0 } as never;

test('what a sub-agent asks is drawn once, with whose it is; what the session asks itself is in its events', () => {
  const drawn = new Set<string>();
  const theirs = { sessionId: 'ses_child' } as object;
  const notice = {
    sessionId: 'ses_parent',
    pendingApprovals: [approval, { ...approval, approvalId: 'apr_2', ...theirs }],
    pendingQuestions: [question, { ...(question as object), questionId: 'que_2', ...theirs }],
  } as PendingNotice;
  const draw = () => subagentLines(drawn, notice).map(({ text }) => text);
  expect(draw()).toEqual([
    'sub-agent ses_child asks:',
    '? May shell do this?  apr_2',
    '  rm a',
    '  rm b',
    'sub-agent ses_child asks:',
    '? que_2',
    '  Which?',
  ]);
  expect(draw()).toEqual([]);
});
