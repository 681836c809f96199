import { expect, test } from '@jest/globals';
import { foldSession } from '@zerd/core/session/fold';
import { type Projected, project } from '@zerd/core/session/summary';
import type { LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId } from '@zerd/protocol/common/ids';
import fc from 'fast-check';
import { anEvent, assistant, call, created, finished, log, message, request, turn } from './events.ts';

const sessionId = 'ses_1' as SessionId;
const asked: SessionEvent = {
  kind: 'approval.requested',
  turnId: turn.turnId,
  callId: 'c1' as never,
  approvalId: 'apr_1' as never,
  tool: 'shell',
  digest: 'd',
  asks: 'rm',
};

function rowAfter(...events: readonly SessionEvent[]) {
  return projectAll(log(...events))?.summary.row;
}

function projectAll(events: readonly LoggedEvent[]): Projected | undefined {
  return events.reduce<Projected | undefined>(
    (before, logged) => project(before?.summary, sessionId, logged),
    undefined,
  );
}

test('the row tells what a session is, costs and does', () => {
  const begun = [created, turn, message('\n  fix\u001b[2J it \nplease'), request('req_1')];
  expect(rowAfter(...begun, assistant('req_1', call('c1')), { ...assistant('req_2'), costPico: null })).toEqual({
    sessionId,
    createdAt: 1_001,
    updatedAt: 1_006,
    lastSeq: 6,
    title: 'fix [2J it',
    model: 'sim/sim',
    mode: 'ask',
    state: 'running',
    requests: 2,
    costPico: 1_000,
    unpricedRequests: 1,
  });
});

test('a session is running in a turn, waiting while an approval is open, and idle after', () => {
  const begun = [created, turn, request('req_1'), assistant('req_1', call('c1'))];
  const check = (state: string, ...more: readonly SessionEvent[]) =>
    expect(rowAfter(...begun, ...more)?.state).toBe(state);
  check('running');
  check('waiting', asked);
  check('running', asked, finished('c1'));
  check('running', asked, {
    kind: 'approval.answered',
    turnId: turn.turnId,
    approvalId: 'apr_1' as never,
    decision: 'granted',
  });
  check('idle', asked, { kind: 'turn.finished', turnId: turn.turnId, outcome: 'interrupted' });
  expect(rowAfter(created)?.state).toBe('idle');
});

test('the title is the first line that says something, cut between characters, and stays', () => {
  const check = (text: string, title: string) => expect(rowAfter(message(text), message('later'))?.title).toBe(title);
  check('short', 'short');
  check('', '');
  check('😀'.repeat(81), `${'😀'.repeat(79)}…`);
  check('x'.repeat(80), 'x'.repeat(80));
});

test('an answer is charged to the model that its request named', () => {
  const events = log(created, request('req_1'), { kind: 'model.changed', model: 'other/big' }, assistant('req_1'));
  expect(projectAll(events)?.usage).toMatchObject({ requestId: 'req_1', model: 'sim/sim', costPico: 1_000 });
});

test('the row agrees with the fold of the same log', () => {
  fc.assert(
    fc.property(fc.array(anEvent, { minLength: 1, maxLength: 60 }), (events) => {
      const state = foldSession(log(...events));
      const row = rowAfter(...events);
      expect({ model: row?.model, mode: row?.mode, lastSeq: row?.lastSeq, idle: row?.state === 'idle' }).toEqual({
        model: state.model,
        mode: state.mode,
        lastSeq: state.lastSeq,
        idle: state.turn === undefined,
      });
    }),
  );
});
