/**
 * Does: takes another model that is chosen as the word to try again, with that one. Invariant: a choice that is in the log
 * leaves no such question open, whichever of the two was committed first.
 */
import { answerOfChoice, dueModel, tryAgain } from '@zerd/core/session/chosen-model';
import type { SessionState } from '@zerd/core/session/state';
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { Questions } from './questions.ts';

type Commit = (answered: readonly SessionEvent[]) => Promise<unknown>;

/** `commit` gets what the answer adds to the log. False: nothing is asked, or it is answered already; nothing was committed. */
export async function answerByChoice(
  questions: Questions,
  state: SessionState,
  model: string,
  commit: Commit,
): Promise<boolean> {
  const answered = answerOfChoice(state, model);
  if (answered === undefined) return false;
  return await questions.settle(answered.questionId, tryAgain, () => commit([answered]));
}

/** Chosen while it was being asked. */
export async function answerIfChosen(questions: Questions, state: SessionState, commit: Commit): Promise<void> {
  const model = dueModel(state);
  if (model !== undefined) await answerByChoice(questions, state, model, commit);
}
