import { expect, test } from '@jest/globals';
import { answerOfChoice, choose, dueModel, settleChosen } from '@zerd/core/session/chosen-model';
import { foldSession } from '@zerd/core/session/fold';
import { forkClosing } from '@zerd/core/session/fork';
import type { SessionEvent } from '@zerd/protocol/common/event';
import { questionIdSchema } from '@zerd/protocol/common/ids';
import { assistant, call, created, finished, log, message, request, turn } from './events.ts';

const chosen = (model: string): SessionEvent => ({ kind: 'model.chosen', model });
const changed = (model: string): SessionEvent => ({ kind: 'model.changed', model });
const state = (...events: readonly SessionEvent[]) => foldSession(log(created, ...events));
const { turnId } = turn;
const running = [turn, message('Go')];

test.each<[string, readonly SessionEvent[], string, readonly SessionEvent[]]>([
  ['between turns it answers at once', [], 'sim/other', [changed('sim/other')]],
  ['while a turn runs it is chosen', running, 'sim/other', [chosen('sim/other')]],
  ['the one that answers is no choice', running, 'sim/sim', []],
  ['nor is the one that was chosen before', [...running, chosen('sim/other')], 'sim/other', []],
  ['the one of before takes the choice back', [...running, chosen('sim/other')], 'sim/sim', [chosen('sim/sim')]],
])('%s', (_, events, model, logged) => {
  expect(choose(state(...events), model)).toEqual(logged);
});

const asked = [...running, request('req_1'), assistant('req_1', call('c1')), finished('c1')];

test('a chosen model is due before the next request, and no more when it took hold or was taken back', () => {
  expect(dueModel(state(...asked))).toBeUndefined();
  expect(dueModel(state(...asked, chosen('sim/other')))).toBe('sim/other');
  expect(dueModel(state(...asked, chosen('sim/other'), chosen('sim/sim')))).toBeUndefined();
  expect(dueModel(state(...asked, chosen('sim/other'), changed('sim/other')))).toBeUndefined();
});

test('between the parts of one answer no other model is due', () => {
  const paused = { ...assistant('req_1'), stopReason: 'pause' as const };
  expect(dueModel(state(...running, request('req_1'), paused, chosen('sim/other')))).toBeUndefined();
});

test('a choice answers whether to try again, and nothing else that is asked; between the parts of one answer it does not', () => {
  const questionId = questionIdSchema.parse('que_1');
  const about = (why: 'retry' | 'budget') => ({
    kind: 'question.asked' as const,
    turnId,
    questionId,
    about: why,
    text: '?',
  });
  const answered = { kind: 'question.answered', turnId, questionId, answer: 'Try again with sim/other' };
  const paused = { ...assistant('req_1'), stopReason: 'pause' as const };
  expect(answerOfChoice(state(...asked, about('retry')), 'sim/other')).toEqual(answered);
  expect(answerOfChoice(state(...asked, about('budget')), 'sim/other')).toBeUndefined();
  expect(answerOfChoice(state(...asked), 'sim/other')).toBeUndefined();
  expect(answerOfChoice(state(...running, request('req_1'), paused, about('retry')), 'sim/other')).toBeUndefined();
});

test('the answer that was being written is that of the model that was asked', () => {
  const after = state(...running, request('req_1'), chosen('sim/other'), assistant('req_1'));
  expect(after.lastRequest?.model).toBe('sim/sim');
  expect(after.model).toBe('sim/sim');
});

test('with the end of the turn it answers from then on; a fork from the middle stays with the one that was asked', () => {
  const middle = state(...asked, chosen('sim/other'));
  expect(settleChosen(middle)).toEqual([changed('sim/other')]);
  expect(settleChosen(state(...asked))).toEqual([]);
  const fork = foldSession(log(created, ...asked, chosen('sim/other'), ...forkClosing(middle)));
  expect([fork.model, fork.chosenModel]).toEqual(['sim/sim', undefined]);
});

test('what another model failed at is not counted against the one that answers now', () => {
  const failure = { code: 'provider_failed', message: 'busy' };
  const failed: SessionEvent = { kind: 'request.failed', requestId: 'req_1' as never, turnId: turn.turnId, failure };
  const before = state(...running, request('req_1'), failed, chosen('sim/other'));
  expect(before.turn?.failing?.times).toBe(1);
  const after = state(...running, request('req_1'), failed, chosen('sim/other'), changed('sim/other'));
  expect(after.turn?.failing).toBeUndefined();
});
