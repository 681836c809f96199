import { expect, test } from '@jest/globals';
import type { PendingApproval, PendingQuestion } from '@zerd/protocol/common/methods';
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
  const theirs = { sessionId: 'ses_child' } as never;
  const approvals = [approval, { ...approval, approvalId: 'apr_2', ...(theirs as object) } as PendingApproval];
  const questions = [question, { ...(question as object), questionId: 'qst_2', ...(theirs as object) }];
  const draw = () => subagentLines(drawn, approvals, questions as PendingQuestion[]).map(({ text }) => text);
  expect(draw()).toEqual([
    '? shell asks in sub-agent ses_child:',
    '  rm a',
    '  rm b',
    '? the model asks in sub-agent ses_child:',
    '  Which?',
  ]);
  expect(draw()).toEqual([]);
});
