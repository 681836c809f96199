/**
 * Does: lets another model answer a session: at once between turns, else from the next request of the turn on. Invariant: a
 * model that cannot be used is refused before anything is logged, and the choice is in the log before it is acknowledged.
 */
import { choose, settleChosen } from '@zerd/core/session/chosen-model';
import { resolveModel } from '../../config/models.ts';
import type { TurnParts } from '../parts.ts';
import type { Runner } from '../runner.ts';

export async function selectModel(
  { book, readConfig, modelChoices }: Pick<TurnParts, 'book' | 'readConfig' | 'modelChoices'>,
  { env, sessionId, model }: Parameters<Runner['selectModel']>[0],
): Promise<string> {
  const { ref } = resolveModel(readConfig(), model, env);
  const events = choose(book.state(sessionId), ref);
  if (events.length === 0) return ref;
  const state = await book.append(sessionId, events);
  // The turn ended as it was chosen.
  if (state.turn === undefined && state.chosenModel !== undefined) await book.append(sessionId, settleChosen(state));
  modelChoices.chose(sessionId, env);
  return ref;
}
