import { expect, test } from '@jest/globals';
import { applyEvent, emptySession, foldSession } from '@zerd/core/session/fold';
import type { LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';
import type { CallId } from '@zerd/protocol/common/ids';
import fc from 'fast-check';
import {
  anEvent,
  assistant,
  call,
  compactedThrough,
  created,
  finished,
  log,
  message,
  request,
  turn,
} from './events.ts';

test('a whole turn leaves its transcript in order, nothing open, and the newest copy of each file', () => {
  const state = foldSession(
    log(
      created,
      turn,
      message('fix it'),
      request('req_1'),
      assistant('req_1', call('c1'), call('c2')),
      { ...started('c1') },
      finished('c1', { files: [{ path: 'a.ts', hash: '1', how: 'read' }] }),
      finished('c2', { files: [{ path: 'a.ts', hash: '2', how: 'written' }] }),
      request('req_2'),
      assistant('req_2'),
      { kind: 'turn.finished', turnId: turn.turnId, outcome: 'done' },
    ),
  );
  expect(state.items.map((item) => [item.seq, item.kind])).toEqual([
    [3, 'message'],
    [5, 'answer'],
    [7, 'toolResult'],
    [8, 'toolResult'],
    [10, 'answer'],
  ]);
  expect({ turn: state.turn, calls: state.openCalls, request: state.openRequest, last: state.lastSeq }).toEqual({
    turn: undefined,
    calls: [],
    request: undefined,
    last: 11,
  });
  expect([...state.seen.values()]).toEqual([{ path: 'a.ts', hash: '2', how: 'written' }]);
  expect(state.lastRequest).toMatchObject({ requestId: 'req_2', model: 'sim/sim', at: 1_010 });
});

test('a crash shows in the state: the request that was sent, and which calls may have had an effect', () => {
  const sent = log(created, turn, message('go'), request('req_1'));
  expect(foldSession(sent).openRequest).toMatchObject({ requestId: 'req_1', attempt: 1, startedAt: 1_004 });
  const calls = foldSession(append(sent, assistant('req_1', call('c1'), call('c2')), started('c1')));
  expect(calls.openCalls.map(({ callId, startedAt }) => [callId, startedAt])).toEqual([
    ['c1', 1_006],
    ['c2', undefined],
  ]);
  expect(calls.turn).toMatchObject({ turnId: 'turn_1', requests: 1, attempts: 1 });
});

test('failures in a row are counted until an answer resets them', () => {
  const failed: SessionEvent = {
    kind: 'request.failed',
    requestId: 'req_1' as never,
    turnId: turn.turnId,
    failure: { code: 'provider_overloaded', message: 'busy' },
    retryAt: 5,
  };
  const failing = log(created, turn, message('go'), request('req_1'), failed, request('req_1'), failed);
  const state = foldSession(failing);
  expect(state.turn).toMatchObject({ requests: 0, attempts: 2, failing: { times: 2, retryAt: 5 } });
  expect(state.openRequest).toBeUndefined();
  expect(foldSession(append(failing, request('req_1'), assistant('req_1'))).turn).toMatchObject({
    requests: 1,
    attempts: 3,
    failing: undefined,
  });
});

test('an approval is pending until it is answered, its call ends or its turn ends, and then closed for ever', () => {
  const asked: SessionEvent = {
    kind: 'approval.requested',
    turnId: turn.turnId,
    callId: 'c1' as CallId,
    approvalId: 'apr_1' as never,
    tool: 'shell',
    digest: 'd',
    asks: 'rm -rf /',
  };
  const events = log(created, turn, message('go'), request('req_1'), assistant('req_1', call('c1')), asked);
  const pending = foldSession(events);
  expect(pending.pendingApprovals).toMatchObject([{ approvalId: 'apr_1', callId: 'c1', asks: 'rm -rf /' }]);
  expect(pending.openCalls[0]?.approval).toMatchObject({ decision: 'pending' });
  const answered: SessionEvent = {
    kind: 'approval.answered',
    turnId: turn.turnId,
    approvalId: 'apr_1' as never,
    decision: 'denied',
    reason: 'no',
  };
  const denied = foldSession(append(events, answered));
  expect(denied.openCalls[0]?.approval).toEqual({ approvalId: 'apr_1', digest: 'd', decision: 'denied', reason: 'no' });
  const ends: SessionEvent[] = [
    answered,
    finished('c1'),
    { kind: 'turn.finished', turnId: turn.turnId, outcome: 'done' },
  ];
  for (const end of ends) {
    const state = foldSession(append(events, end));
    expect([state.pendingApprovals, [...state.closedApprovals]]).toEqual([[], ['apr_1']]);
  }
});

test('an orphan result, a second result and a repeated event change no fact', () => {
  const events = log(created, turn, message('go'), request('req_1'), assistant('req_1', call('c1')), finished('c1'));
  const state = foldSession(events);
  for (const noise of [finished('c1', { shown: 'again' }), finished('other')]) {
    expect(foldSession(append(events, noise))).toEqual({ ...state, lastSeq: 7, lastAt: 1_007 });
  }
  expect(applyEvent(state, events[2] as LoggedEvent)).toBe(state);
});

test('an event of a kind from a newer build is passed over', () => {
  const events = log(created, turn);
  const state = foldSession(events);
  const newer = append(events, { kind: 'context.folded', toString: 1 } as never, { kind: 'constructor' } as never);
  expect(foldSession(newer)).toEqual({ ...state, lastSeq: 4, lastAt: 1_004 });
});

test('the model and the mode are the last ones chosen, the frozen facts stay', () => {
  const state = foldSession(
    log(created, { kind: 'mode.changed', mode: 'full' }, { kind: 'model.changed', model: 'a/b' }),
  );
  expect({ mode: state.mode, model: state.model, created: state.created }).toEqual({
    mode: 'full',
    model: 'a/b',
    created: {
      root: '/repo',
      model: 'sim/sim',
      mode: 'ask',
      system: 'S',
      tools: '[]',
      version: '0.1.0',
      rules: [],
      forkOf: undefined,
      parent: undefined,
    },
  });
});

test('I1: folding any prefix and applying the rest equals folding all, and applying leaves the earlier state alone', () => {
  fc.assert(
    fc.property(fc.array(anEvent, { maxLength: 60 }), fc.nat(60), (events, cut) => {
      const all = log(...events);
      const prefix = foldSession(all.slice(0, cut));
      const before = structuredClone(prefix);
      expect(all.slice(cut).reduce(applyEvent, prefix)).toEqual(foldSession(all));
      expect(prefix).toEqual(before);
    }),
  );
});

test('I12: whatever the log holds, a result stands behind its call, once', () => {
  fc.assert(
    fc.property(fc.array(anEvent, { maxLength: 80 }), (events) => {
      const state = foldSession(log(...events));
      const open = new Set<string>();
      const ever = new Set<string>(callsReplaced(log(...events)));
      for (const item of state.items) {
        if (item.kind === 'toolResult') expect(open.delete(item.callId)).toBe(true);
        if (item.kind !== 'answer') continue;
        for (const block of item.content) {
          if (block.kind !== 'toolCall' || ever.has(block.callId)) continue;
          ever.add(block.callId);
          open.add(block.callId);
        }
      }
      expect([...open].sort()).toEqual(state.openCalls.map((openCall) => openCall.callId).sort());
    }),
  );
});

/** Calls that a compaction took out of the transcript: an id that comes again opens no call. */
function callsReplaced(events: readonly LoggedEvent[]): Iterable<string> {
  const ends = events.map(({ seq, event }) =>
    event.kind === 'context.compacted' ? Math.min(event.throughSeq, seq) : 0,
  );
  return foldSession(events.slice(0, Math.max(0, ...ends))).usedCallIds;
}

test('a compaction leaves what came after, counts what it replaced, and forgets the prompt that is no more', () => {
  const story = [
    created,
    turn,
    message('go'),
    request('req_1'),
    assistant('req_1', call('c1')),
    finished('c1'),
    request('req_2'),
    assistant('req_2', call('c2')),
    finished('c2'),
    compactedThrough(6),
  ];
  const { items, requests, lastRequest, compactions, usedCallIds } = foldSession(log(...story));
  expect(items.map(({ kind, seq }) => [kind, seq])).toEqual([
    ['answer', 8],
    ['toolResult', 9],
  ]);
  expect(requests.map(({ requestId }) => requestId)).toEqual(['req_2']);
  expect(lastRequest).toBe(undefined);
  expect(compactions).toEqual({
    newest: { seq: 10, throughSeq: 6, summary: 'In short.', rules: [], kept: 1, written: 3 },
    made: [2],
    triedAt: undefined,
    answered: 2,
    calls: 1,
  });
  expect([...usedCallIds]).toEqual(['c1', 'c2']);
});

test('the answer of a summary request is no part of the transcript and no request of the turn', () => {
  const events = log(created, turn, message('go'), request('req_1'), assistant('req_1', call('c1')), finished('c1'));
  const asked = { ...request('req_9'), purpose: 'compaction' } as SessionEvent;
  const state = foldSession(append(events, asked, assistant('req_9', { kind: 'text', text: 'In short.' }, call('c9'))));
  const before = foldSession(events);
  expect(state).toEqual({
    ...before,
    lastSeq: 8,
    lastAt: 1_008,
    compactions: { ...before.compactions, triedAt: 1 },
    // It was sent what every prompt begins with.
    fixedUses: state.fixedUses,
  });
  expect(state.fixedUses.get('sim/sim')?.usedAt).toBe(1_007);
});

test('the state before any event is never written to', () => {
  const before = structuredClone(emptySession);
  foldSession(log(created, turn, request('req_1'), assistant('req_1', call('c1')), finished('c1')));
  expect(emptySession).toEqual(before);
});

function append(events: readonly LoggedEvent[], ...more: readonly SessionEvent[]): readonly LoggedEvent[] {
  return log(...events.map((logged) => logged.event), ...more);
}

function started(callId: string): SessionEvent {
  return { kind: 'toolCall.started', turnId: turn.turnId, callId: callId as CallId, name: 'read', inputJson: '{}' };
}
