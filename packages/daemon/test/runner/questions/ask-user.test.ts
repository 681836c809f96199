import { expect, test } from '@jest/globals';
import { foldSession } from '@zerd/core/session/fold';
import type { SessionState } from '@zerd/core/session/state';
import type { LoggedEvent, SessionEvent } from '@zerd/protocol/common/event';
import type { SessionId, TurnId } from '@zerd/protocol/common/ids';
import { manualClock } from '../../../../../test/support/manual-clock.ts';
import { createWaits } from '../../../src/base/waits.ts';
import { answerQuestion } from '../../../src/runner/questions/answer-question.ts';
import { type Asking, askUser, questionDeadlineMs } from '../../../src/runner/questions/ask-user.ts';
import { createQuestions } from '../../../src/runner/questions/questions.ts';

const sessionId = 'ses_a' as SessionId;
const turnId = 'turn_a' as TurnId;

/** A turn whose log is a list in memory. */
function scene({ headless = false } = {}) {
  const clock = manualClock();
  const abort = new AbortController();
  const log: LoggedEvent[] = [];
  const state = () => foldSession(log);
  const append = async (events: readonly SessionEvent[]): Promise<SessionState> => {
    for (const event of events) log.push({ seq: log.length + 1, at: clock.wall(), event });
    return state();
  };
  void append([{ kind: 'turn.started', turnId, headless }]);
  const open = () => ({ questions: createQuestions(clock), waits: createWaits(clock) });
  let process = open();
  const turn = (): Asking => ({ sessionId, turnId, clock, signal: abort.signal, state, append, ...process });
  const book = { state, append: (_: SessionId, events: readonly SessionEvent[]) => append(events), drop() {} };
  return {
    clock,
    abort,
    state,
    turn,
    waits: () => process.waits.list(),
    kinds: () => log.map(({ event }) => event.kind),
    last: () => log.at(-1)?.event,
    answer: (answer: string, questionId = state().pendingQuestions[0]?.questionId ?? ('que_none' as never)) =>
      answerQuestion({ book, questions: process.questions }, { sessionId, questionId, answer }),
    restart() {
      process = open();
    },
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a question stands in the log and among the waits until the first answer, and a second is told that it came too late', async () => {
  const { turn, answer, state, waits, last } = scene();
  const asked = askUser(turn(), { about: 'retry', text: 'Try again?', options: ['yes', 'no'] });
  await settled();
  const [pending] = state().pendingQuestions;
  expect(pending).toMatchObject({ about: 'retry', text: 'Try again?', options: ['yes', 'no'] });
  const sinceAt = waits()[0]?.sinceAt ?? 0;
  expect(waits()).toEqual([
    { for: 'your word whether to try again', sessionId, sinceAt, deadlineAt: sinceAt + questionDeadlineMs },
  ]);
  await answer('yes');
  expect(await asked).toEqual({ answer: 'yes' });
  expect(last()).toMatchObject({ kind: 'question.answered', answer: 'yes' });
  await expect(answer('no', pending?.questionId)).rejects.toMatchObject({ code: 'already_resolved' });
  expect([waits(), state().pendingQuestions]).toEqual([[], []]);
});

test('nobody is asked in a headless run: the log says so at once', async () => {
  const { turn, kinds } = scene({ headless: true });
  const reason = 'nobody can answer in a headless run';
  expect(await askUser(turn(), { about: 'budget', text: 'Spend more?' })).toEqual({ reason });
  expect(kinds()).toEqual(['turn.started', 'question.asked', 'question.answered']);
});

test('a key is waited for in a headless run too', async () => {
  const { turn, answer, state } = scene({ headless: true });
  const asked = askUser(turn(), { about: 'key', text: 'sim/sim needs SIM_KEY.' });
  await settled();
  expect(state().pendingQuestions).toHaveLength(1);
  await answer('try again');
  expect(await asked).toEqual({ answer: 'try again' });
});

test('an unanswered question ends after a day with that reason', async () => {
  const { turn, clock, last, waits } = scene();
  const asked = askUser(turn(), { text: 'Which one?' });
  await settled();
  clock.advance(questionDeadlineMs);
  expect(await asked).toEqual({ reason: 'nobody answered within 24 hours' });
  expect(last()).toMatchObject({ kind: 'question.answered', reason: 'nobody answered within 24 hours' });
  expect(waits()).toEqual([]);
});

test('a restart asks nothing anew: the same question is waited for, and its day began when it was asked', async () => {
  const { turn, clock, kinds, answer, restart, waits } = scene();
  void askUser(turn(), { about: 'retry', text: 'Try again?' });
  await settled();
  const deadline = waits()[0]?.deadlineAt;
  clock.advance(60_000);
  restart();
  const asked = askUser(turn(), { about: 'retry', text: 'Try again?' });
  await settled();
  expect(waits()[0]?.deadlineAt).toBe(deadline);
  await answer('yes');
  expect(await asked).toEqual({ answer: 'yes' });
  expect(kinds()).toEqual(['turn.started', 'question.asked', 'question.answered']);
});

test('an interrupt ends the wait with its reason', async () => {
  const { turn, abort, waits } = scene();
  const asked = askUser(turn(), { text: 'Which one?' });
  await settled();
  abort.abort('interrupted by the user');
  await expect(asked).rejects.toBe('interrupted by the user');
  expect(waits()).toEqual([]);
});
