/**
 * Does: settles the question whether a budget may be raised when there is room in it without an answer: it was raised
 * elsewhere, the settings allow more, or another day has begun.
 */
import type { Worst } from '@zerd/core/accounting/budget';
import type { TurnContext } from '../turn-context.ts';

/** What whoever asked is handed in place of an answer. */
export const room = 'there is room in the budget by now';

/** The settings and the day tell nobody that they have changed. */
const lookEachMs = 60_000;

/** Looks until `signal` says that the question is over. Never rejects. */
export async function settleWhenRoom(turn: TurnContext, worst: Worst, signal: AbortSignal): Promise<void> {
  try {
    for (;;) {
      await somethingChanged(turn, signal);
      const entered = turn.budgets.enter(turn.sessionId, worst);
      if (entered.kind === 'in') entered.ticket[Symbol.dispose]();
      if (entered.kind !== 'reached') return await settleWithRoom(turn);
    }
  } catch (error) {
    if (!signal.aborted) turn.log.warn('room in a budget could not be told', { error, sessionId: turn.sessionId });
  }
}

/** Nothing, where nothing of this turn is asked. */
export async function settleWithRoom({ state, turnId, questions, append }: TurnContext): Promise<void> {
  const asked = state().pendingQuestions.find((open) => open.turnId === turnId && open.about === 'budget');
  if (asked === undefined) return;
  const { questionId } = asked;
  await questions.settle(questionId, room, () =>
    append([{ kind: 'question.answered', turnId, questionId, reason: room }]),
  );
}

async function somethingChanged({ budgets, clock }: TurnContext, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const changes = [budgets.next(either), clock.sleep(lookEachMs, either)];
  try {
    await Promise.race(changes);
  } finally {
    over.abort();
    await Promise.allSettled(changes);
  }
}
