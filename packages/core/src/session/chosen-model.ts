/**
 * Decides when a model that was chosen while a turn runs takes hold: before the turn's next request, or with its end.
 * Invariant: one model says an answer from its beginning to its end, and every request is made by the model that the log
 * names before it.
 */
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { SessionState } from './state.ts';

type Chosen = Pick<SessionState, 'model' | 'chosenModel'>;

/** What is logged for a choice. Between turns it takes hold at once; the same model again is none. */
export function choose(state: Chosen & Pick<SessionState, 'turn'>, model: string): readonly SessionEvent[] {
  if (model === (state.chosenModel ?? state.model)) return [];
  return [{ kind: state.turn === undefined ? 'model.changed' : 'model.chosen', model }];
}

/** The model of the next request, where it is another one. Between the parts of one answer nothing changes. */
export function dueModel({ chosenModel, items }: Pick<SessionState, 'chosenModel' | 'items'>): string | undefined {
  return items.at(-1)?.kind === 'answer' ? undefined : chosenModel;
}

/** The option of a question about trying again that says yes. */
export const tryAgain = 'Try again';

type Answered = Extract<SessionEvent, { kind: 'question.answered' }>;

/** Who chooses another model while the user is asked whether to try again has answered; undefined: that is not asked, or it would
 * not be asked next. */
export function answerOfChoice(
  { turn, pendingQuestions, items }: Pick<SessionState, 'turn' | 'pendingQuestions' | 'items'>,
  model: string,
): Answered | undefined {
  if (dueModel({ chosenModel: model, items }) === undefined) return undefined;
  const asked = pendingQuestions.find(({ turnId, about }) => turnId === turn?.turnId && about === 'retry');
  if (asked === undefined) return undefined;
  const { turnId, questionId } = asked;
  return { kind: 'question.answered', turnId, questionId, answer: `${tryAgain} with ${model}` };
}

/** A choice that takes hold. The daemon may have died between it and the answer that it is. */
export function takenUp(
  state: Pick<SessionState, 'turn' | 'pendingQuestions' | 'items'>,
  model: string,
): readonly SessionEvent[] {
  const answered = answerOfChoice(state, model);
  return [...(answered === undefined ? [] : [answered]), { kind: 'model.changed', model }];
}

/** With the end of a turn: it was not asked any more. */
export function settleChosen({ chosenModel }: Pick<SessionState, 'chosenModel'>): readonly SessionEvent[] {
  return chosenModel === undefined ? [] : [{ kind: 'model.changed', model: chosenModel }];
}

/** In the fold: the model of before, chosen again, is no choice. */
export function chosenAfter({ model }: Pick<SessionState, 'model'>, chosen: string): Pick<SessionState, 'chosenModel'> {
  return { chosenModel: chosen === model ? undefined : chosen };
}
