/**
 * Says what the provider is expected to read from its cache if nothing changes: the previous prompt, or nothing when it
 * is cold. Decided from the log alone: a restart of the daemon is not cold.
 */
import type { SessionState } from '../../session/state.ts';
import type { RelievedModel } from './planner-model.ts';
import { promptOf } from './prompt-tokens.ts';

export function expectedRead(state: SessionState, model: RelievedModel, now: number): number {
  const { lastRequest, requests } = state;
  if (lastRequest === undefined || lastRequest.model !== state.model) return 0;
  if (now - lastRequest.startedAt > model.cacheMs) return 0;
  const own = requests.filter((request) => request.model === state.model);
  const reportsCache = own.some(({ usage }) => usage.cacheRead > 0 || usage.cacheWrite > 0);
  const prompt = promptOf(lastRequest.usage);
  return reportsCache && prompt >= model.minPrefix ? prompt : 0;
}
