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

/** With the end of a turn: it was not asked any more. */
export function settleChosen({ chosenModel }: Pick<SessionState, 'chosenModel'>): readonly SessionEvent[] {
  return chosenModel === undefined ? [] : [{ kind: 'model.changed', model: chosenModel }];
}

/** In the fold: the model of before, chosen again, is no choice. */
export function chosenAfter({ model }: Pick<SessionState, 'model'>, chosen: string): Pick<SessionState, 'chosenModel'> {
  return { chosenModel: chosen === model ? undefined : chosen };
}
