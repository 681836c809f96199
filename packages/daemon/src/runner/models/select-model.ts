/**
 * Does: lets another model answer a session: at once between turns, else from the next request of the turn on. Invariant: a
 * model that cannot be used is refused before anything is logged, and the choice is in the log before it is acknowledged.
 */
import { choose, settleChosen } from '@zerd/core/session/chosen-model';
import type { SessionEvent } from '@zerd/protocol/common/event';
import { resolveModel } from '../../config/models.ts';
import type { TurnParts } from '../parts.ts';
import { answerByChoice, answerIfChosen } from '../questions/answer-by-choice.ts';
import type { Runner } from '../runner.ts';

export async function selectModel(
  { book, readConfig, modelChoices, questions }: Pick<TurnParts, 'book' | 'readConfig' | 'modelChoices' | 'questions'>,
  { env, sessionId, model }: Parameters<Runner['selectModel']>[0],
): Promise<string> {
  const { ref } = resolveModel(readConfig(), model, env);
  const before = book.state(sessionId);
  const events = choose(before, ref);
  if (events.length === 0) return ref;
  const append = (more: readonly SessionEvent[]) => book.append(sessionId, more);
  async function commit(answered: readonly SessionEvent[]): Promise<void> {
    await append([...events, ...answered]);
    // Whoever goes on with it finds its key.
    modelChoices.chose(sessionId, env);
  }
  if (!(await answerByChoice(questions, before, ref, commit))) await commit([]);
  const state = book.state(sessionId);
  // The turn ended as it was chosen.
  if (state.turn === undefined && state.chosenModel !== undefined) await append(settleChosen(state));
  else await answerIfChosen(questions, state, append);
  return ref;
}
