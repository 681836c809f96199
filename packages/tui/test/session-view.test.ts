import { expect, test } from '@jest/globals';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { CallId, QuestionId, SessionId, TurnId } from '@zerd/protocol/common/ids';
import type { EventNotice, Snapshot } from '@zerd/protocol/node/follow';
import { modelFacts } from '../src/app/model-facts.ts';
import { askedOf, emptyView, nextView, syncedView } from '../src/app/session-view.ts';

const turnId = 'turn_1' as TurnId;

function told(...events: readonly SessionEvent[]) {
  const notices = events.map(
    (event, index): EventNotice => ({
      sessionId: 'ses_1' as SessionId,
      epoch: 'e',
      seq: index + 1,
      at: 10 * index,
      event,
    }),
  );
  return notices.reduce(nextView, emptyView({}));
}

const edited = (diff?: string): SessionEvent => ({
  kind: 'toolCall.finished',
  turnId,
  callId: 'call_1' as CallId,
  outcome: 'ok',
  shown: '',
  bytes: 0,
  durationMs: 0,
  ...(diff === undefined ? {} : { diff }),
});

test('before anything was told there is what a new session would be begun with', () => {
  expect(emptyView({ model: 'sim/sim', mode: 'edit' }).status).toMatchObject({ model: 'sim/sim', mode: 'edit' });
  expect(emptyView({}).status).toMatchObject({ model: '', mode: 'ask' });
});

test('changes are kept in order, calls without one add nothing, and of very many the newest are kept', () => {
  expect(told(edited('+a'), edited(), edited('+b')).diffs).toEqual(['+a', '+b']);
  const many = Array.from({ length: 205 }, (_, index) => edited(`+${index}`));
  expect(told(...many).diffs.length).toBe(200);
  expect(told(...many).diffs.at(-1)).toBe('+204');
});

test('what is asked stands until it is answered', () => {
  const questionId = 'que_1' as QuestionId;
  const asks: SessionEvent = { kind: 'question.asked', turnId, questionId, text: 'Which?', options: ['a', 'b'] };
  const question = { kind: 'question.asked', turnId, questionId, text: 'Which?', options: ['a', 'b'], askedAt: 0 };
  expect(askedOf(told(asks).pending)).toEqual([{ kind: 'question', id: questionId, question }]);
  const answered: SessionEvent = { kind: 'question.answered', turnId, questionId, answer: 'a', by: 'user' };
  expect(askedOf(told(asks, answered).pending)).toEqual([]);
});

test('the money and what is asked are those of the daemon once all has been told', () => {
  const session = { costPico: 7, unpricedRequests: 1 };
  const snapshot = { session, pendingApprovals: [] } as unknown as Snapshot;
  const view = syncedView(told(edited('+a')), snapshot);
  expect(view.diffs).toEqual(['+a']);
  expect(view.pending).toEqual({ approvals: [], questions: [] });
  expect(view.status).toMatchObject({ sessionPico: 7, unpriced: true });
});

test('of a model nothing is said that is not known', () => {
  const model = { id: 'sim/a', wire: 'chat' as const, ready: true, priced: true };
  const list = {
    default: null,
    models: [
      { ...model, contextWindow: 9, cacheMs: 5 },
      { ...model, id: 'sim/b', contextWindow: null },
    ],
  };
  expect(modelFacts(list, 'sim/a')).toEqual({ window: 9, cacheTtlMs: 5 });
  expect([modelFacts(list, 'sim/b'), modelFacts(list, 'sim/c')]).toEqual([{}, {}]);
});
