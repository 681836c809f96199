import { expect, test } from '@jest/globals';
import { foldSession } from '@zerd/core/session/fold';
import { planResume } from '@zerd/core/session/resume';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { ApprovalId, CallId, SessionId } from '@zerd/protocol/common/ids';
import { assistant, call, created, finished, log, message, turn } from './events.ts';

const begun = [created, turn, message('Go')];
const resumed: SessionEvent = { kind: 'turn.resumed', turnId: turn.turnId, reason: 'the daemon had ended' };
const plan = (events: readonly SessionEvent[], later = 0) =>
  planResume(foldSession(log(...events)), 2_000 + later).kind;

test('an open turn goes on, a closed one does not', () => {
  expect(plan(begun)).toBe('resume');
  expect(plan([...begun, { kind: 'turn.finished', turnId: turn.turnId, outcome: 'done' }])).toBe('nothing');
});

test('a turn that came no further three times in a few minutes is closed', () => {
  const thrice = [...begun, resumed, resumed, resumed];
  expect(plan([...begun, resumed, resumed])).toBe('resume');
  expect(plan(thrice)).toBe('close');
  expect(plan(thrice, 5 * 60_000)).toBe('resume');
  // F-15: the time of day was set back by an hour since.
  expect(plan(thrice, -60 * 60_000)).toBe('resume');
});

test('whatever comes of it counts, calls that were lost do not', () => {
  const asked = [...begun, assistant('req_1', call('c1')), resumed, resumed, resumed];
  expect(plan([...asked, finished('c1', { outcome: 'unknown' })])).toBe('close');
  expect(plan([...asked, finished('c1')])).toBe('resume');
  expect(plan([...begun, resumed, resumed, assistant('req_1'), resumed])).toBe('resume');
});

test('a turn that only waits for the user may be resumed without end', () => {
  const approval: SessionEvent = {
    kind: 'approval.requested',
    turnId: turn.turnId,
    callId: 'c1' as CallId,
    approvalId: 'apr_1' as ApprovalId,
    tool: 'shell',
    digest: 'd',
    asks: 'shell: ls',
  };
  expect(plan([...begun, assistant('req_1', call('c1')), approval, resumed, resumed, resumed, resumed])).toBe('resume');
});

test('a sub-agent is closed: whom it works for is told', () => {
  const parent = { sessionId: 'ses_p' as SessionId, callId: 'c1' as CallId, title: 'dig', depth: 1 };
  expect(plan([{ ...created, parent }, turn, message('Go')])).toBe('close');
});
