/**
 * Does: before a request, takes up the model that the user has chosen since the last one. One that cannot be used after all
 * is given up, and the log says why: the turn goes on as before.
 */
import { dueModel, takenUp } from '@zerd/core/session/chosen-model';
import { errorTable, isZerdError } from '@zerd/protocol/common/errors';
import type { SessionId } from '@zerd/protocol/common/ids';
import { type ResolvedModel, resolveModel } from '../../config/models.ts';
import type { TurnParts } from '../parts.ts';
import { requireRoom } from '../require-room.ts';
import type { ClientEnv } from '../runner.ts';
import type { TurnContext } from '../turn-context.ts';

export type TakeUpParts = Pick<TurnParts, 'readConfig' | 'windows' | 'modelChoices'>;
type Session = Pick<TurnContext, 'sessionId' | 'model' | 'state' | 'append'>;

/** `env`: the turn's own. Undefined: the model of before goes on. */
export async function takeUpModel(
  { readConfig, windows, modelChoices }: TakeUpParts,
  session: Session,
  env: ClientEnv,
): Promise<ResolvedModel | undefined> {
  const { sessionId, state, append } = session;
  for (;;) {
    const chosen = dueModel(state());
    // Changed between turns, as this one began.
    const wanted = chosen ?? state().model;
    if (wanted === session.model.ref) return undefined;
    const found = await usable(wanted);
    // Chosen anew meanwhile.
    if (dueModel(state()) !== chosen) continue;
    if ('reason' in found) await append([{ kind: 'model.chosen', model: session.model.ref, reason: found.reason }]);
    else if (chosen !== undefined) await append(takenUp(state(), found.model.ref));
    modelChoices.settled(sessionId);
    return 'model' in found ? found.model : undefined;
  }

  async function usable(chosen: string): Promise<{ readonly model: ResolvedModel } | { readonly reason: string }> {
    try {
      const model = await windows.complete(resolveModel(readConfig(), chosen, envFor(sessionId)));
      requireRoom(model, state());
      return { model };
    } catch (error) {
      if (!isZerdError(error)) throw error;
      const { todo } = errorTable[error.code];
      return { reason: error.message.includes(todo) ? error.message : `${error.message} ${todo}` };
    }
  }

  function envFor(id: SessionId): ClientEnv {
    return modelChoices.envOf(id) ?? env;
  }
}
