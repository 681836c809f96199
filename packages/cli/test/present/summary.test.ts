import { expect, test } from '@jest/globals';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { ArchiveId } from '@zerd/protocol/common/ids';
import { costLine } from '../../src/present/cost-line.ts';
import { addEvent, costUsd, emptySummary, flowOf, type Summary } from '../../src/present/summary.ts';
import { check } from '../check.ts';
import { answered, asked, called, calls, ended, returned, says, wants } from '../events.ts';
import { requestId, turnId } from '../fake-daemon.ts';

const fold = (events: readonly SessionEvent[]): Summary => events.reduce(addEvent, emptySummary);

test('a run comes to the sums of its events and the text of its newest answer', () => {
  const written = { path: 'a.ts', hash: 'h', how: 'written' } as const;
  const sum = fold([
    asked(100),
    answered([says('Looking.'), calls('c1', 'edit', {})], 1_000_000_000),
    called('c1', 'edit', { path: 'a.ts' }),
    returned('c1', {
      archiveId: 'a'.repeat(12) as ArchiveId,
      files: [written, { ...written, path: 'b.ts', how: 'read' }, written],
    }),
    asked(200),
    answered([says('Done.')], 2_000_000_000),
    ended('done'),
  ]);
  expect(sum).toEqual({
    ...emptySummary,
    text: 'Done.',
    outcome: 'done',
    requests: 2,
    answered: 2,
    requestBytes: 300,
    toolCalls: 1,
    usage: { uncached: 200, cacheRead: 1600, cacheWrite: 200, output: 80, reported: true },
    costPico: 3_000_000_000,
    filesChanged: ['a.ts'],
  });
  expect(costUsd(sum)).toBe(0.003);
});

test('a question that was denied stays, a granted one does not', () => {
  const answer = { kind: 'approval.answered', turnId, approvalId: wants('', '').approvalId } as const;
  expect(fold([wants('shell', 'ls'), { ...answer, decision: 'denied' }]).asks).toEqual([
    { approvalId: 'apr_1', tool: 'shell', asks: 'ls' },
  ]);
  expect(fold([wants('shell', 'ls'), { ...answer, decision: 'granted' }]).asks).toEqual([]);
});

check('dollars are null when they are not known (I11)', (events: readonly SessionEvent[]) => costUsd(fold(events)), [
  [[asked(1), answered([], null)], null],
  [[asked(1), answered([], 1e12), asked(1), answered([], null)], null],
  [[asked(1)], null],
  [[], 0],
  [[asked(1), answered([], 1e12)], 1],
]);

test('a cost line without a request says that nothing was spent', () => {
  expect(costLine(flowOf(emptySummary))).toBe('0 requests (0 B), 0 tool calls, $0');
});

test('the cost line says when an endpoint reports no tokens', () => {
  expect(costLine({ ...flowOf(fold([asked(1), answered([], null)])), reported: false })).toBe(
    '1 request (1 B), 0 tool calls, tokens not reported, unpriced',
  );
});

test('an answer that broke off is paid as far as the provider reported it', () => {
  const usage = { uncached: 5, cacheRead: 100, cacheWrite: 0, output: 1, reported: true };
  const failed: SessionEvent = {
    kind: 'request.failed',
    requestId,
    turnId,
    failure: { code: 'provider_truncated', message: 'cut' },
    usage,
    costPico: 700,
  };
  expect(addEvent(emptySummary, failed)).toMatchObject({ usage, costPico: 700, unpricedRequests: 0, answered: 0 });
  expect(addEvent(emptySummary, { ...failed, costPico: null }).unpricedRequests).toBe(1);
});
