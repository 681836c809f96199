/**
 * Does: lets another model answer a session from its next turn on. Invariant: a model that cannot be used is refused
 * before anything is logged, and one model writes a turn from its beginning to its end.
 */
import { ZerdError } from '@zerd/protocol/common/errors';
import { resolveModel } from '../config/models.ts';
import type { TurnParts } from './parts.ts';
import type { Runner } from './runner.ts';

export async function selectModel(
  { book, readConfig }: Pick<TurnParts, 'book' | 'readConfig'>,
  { env, sessionId, model }: Parameters<Runner['selectModel']>[0],
): Promise<string> {
  const state = book.state(sessionId);
  if (state.turn !== undefined)
    throw new ZerdError(
      'turn_running',
      `Session ${sessionId} is running a turn with ${state.model}; nothing was changed. Choose again when it has ended.`,
    );
  const { ref } = resolveModel(readConfig(), model, env);
  if (ref !== state.model) await book.append(sessionId, [{ kind: 'model.changed', model: ref }]);
  return ref;
}
