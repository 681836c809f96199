/**
 * Decides whether the user is told that a model does not cache: when two requests in a row read nothing of what was just
 * sent, though the endpoint is known to report what it reads. Invariant: once for each model of a session; an endpoint that
 * never says anything of its cache is not blamed.
 */
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { TurnId } from '@zerd/protocol/common/ids';
import { promptOf } from '../context/relieve/prompt-tokens.ts';
import { unreported } from '../model/answer.ts';
import type { AnsweredRequest, SessionState } from '../session/state.ts';
import type { CacheKnowledge } from './cache-knowledge.ts';

/** The first one writes, the others should read. */
const looked = 3;

/** `wire` and `address` say what can be done. Undefined: nothing is to be said. */
export function cacheWarning(
  state: SessionState,
  turnId: TurnId,
  about: CacheKnowledge,
  endpoint: { readonly wire: 'anthropic' | 'responses' | 'chat'; readonly codex: boolean; readonly own: boolean },
): SessionEvent | undefined {
  const { model, requests, cacheWarned } = state;
  const newest = requests.slice(-looked);
  if (cacheWarned.has(model) || newest.length < looked || !reports(requests, model, about)) return undefined;
  if (!newest.every((request, i) => isCold(request, newest[i - 1], model, about))) return undefined;
  const tokens = promptOf(newest.at(-1)?.usage ?? unreported);
  const text = `${model} reads nothing from its cache: the last ${looked - 1} requests began as the one before and were paid in full (${tokens} tokens). ${whatToDo(endpoint)}`;
  return { kind: 'cache.warned', turnId, model, text };
}

function reports(requests: readonly AnsweredRequest[], model: string, { reportsCache }: CacheKnowledge): boolean {
  if (reportsCache !== undefined) return reportsCache;
  return requests.some(({ model: of, usage }) => of === model && (usage.cacheRead > 0 || usage.cacheWrite > 0));
}

/** Large enough to be cached, right behind the one before, and not read. */
function isCold(
  { model: of, usage, startedAt }: AnsweredRequest,
  before: AnsweredRequest | undefined,
  model: string,
  { minPrefix, cacheMs }: CacheKnowledge,
): boolean {
  if (of !== model || !usage.reported || promptOf(usage) < Math.max(1_024, minPrefix ?? 0)) return false;
  return before === undefined || (usage.cacheRead === 0 && startedAt - before.startedAt <= cacheMs);
}

function whatToDo({ wire, codex, own }: Parameters<typeof cacheWarning>[3]): string {
  if (own)
    return 'The provider does this; `zerd cost` tells each miss and its price. Ask its support with the request ids.';
  if (codex) return 'Its cache goes by the session-id header: see that nothing between zerd and it takes that out.';
  if (wire === 'anthropic')
    return 'See that the endpoint passes `cache_control` on, and that it does not spread requests over several accounts.';
  return 'Set "promptCacheKey": true for this provider if it takes that field, and see that it sends a session to one server.';
}
