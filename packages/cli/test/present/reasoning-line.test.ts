import { expect, test } from '@jest/globals';
import type { SessionId } from '@zerd/protocol/common/ids';
import { costReport } from '../../src/present/cost-report.ts';

const none = {
  requests: 0,
  uncached: 0,
  cacheRead: 0,
  cacheWrite: 0,
  output: 0,
  costPico: 0,
  unpricedRequests: 0,
};

test('what became of bound reasoning is one line of the report, made harmless, and nothing where nothing was lost', () => {
  const session = {
    sessionId: 'ses_1' as SessionId,
    byPurpose: [],
    subagents: none,
    misses: [],
    notReported: [],
    carried: [],
    advice: [],
  };
  expect(costReport(session)).toBe('');
  expect(costReport({ ...session, reasoning: 'a/b lost\u001b[2J 2 blocks.' })).toMatch(/^a\/b lost.*2 blocks\.\n$/);
  expect(costReport({ ...session, reasoning: '\u001b[2J' })).not.toContain('\u001b');
});
