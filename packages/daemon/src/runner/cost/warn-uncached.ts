/** Does: says, once for each model of a session, that its prompts are not read from the cache, as an event of the log. */
import { cacheWarning } from '@zerd/core/accounting/cache-warning';
import type { TurnContext } from '../turn-context.ts';
import { knowledgeOf } from './cache-knowledge.ts';

export async function warnUncached(turn: TurnContext): Promise<void> {
  const { model, turnId } = turn;
  const { wire, codex = false, baseUrl } = model.endpoint;
  const warning = cacheWarning(turn.state(), turnId, knowledgeOf(model), { wire, codex, own: baseUrl === undefined });
  if (warning !== undefined) await turn.append([warning]);
}
