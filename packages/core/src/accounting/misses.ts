/**
 * Explains every miss of the provider's cache: what was expected to be read and was written anew instead, why, by whose
 * doing, and what that cost. Invariants: an endpoint that never says anything of its cache has no misses; what the provider
 * did is never put on the user; a cause that is not known is called unknown or the provider's, never guessed.
 */

import { promptOf } from '../context/relieve/prompt-tokens.ts';
import type { CacheKnowledge, FirstElsewhere } from './cache-knowledge.ts';
import { fixedOf, fixedTokens } from './fixed-part.ts';
import type { LedgerRequest } from './ledger.ts';
import { type CauseFound, causeOf } from './miss-cause.ts';

export interface Miss extends CauseFound {
  readonly requestId: LedgerRequest['requestId'];
  readonly seq: number;
  readonly at: number;
  readonly model: string;
  /** Tokens that could have been read and were not. */
  readonly tokens: number;
  readonly read: number;
  /** What they cost beyond what reading them would have; null: unpriced. */
  readonly costPico: number | null;
}

export interface MissReport {
  readonly misses: readonly Miss[];
  /** Models whose endpoint says nothing of its cache. */
  readonly notReported: readonly string[];
  /** Tokens read of all prompts that were reported, copies aside; null: nothing was reported. */
  readonly hitRate: number | null;
}

/** Less says nothing: steps of a cache, frames of messages (facts as of 2026-11-29). */
export const noise = 1_024;

export function missesOf(
  requests: readonly LedgerRequest[],
  about: (model: string) => CacheKnowledge,
  elsewhere: readonly FirstElsewhere[] = [],
): MissReport {
  const reporting = reportingModels(requests, about);
  const misses: Miss[] = [];
  let before: LedgerRequest | undefined;
  for (const request of requests) {
    if (!isReported(request) || request.apart) continue;
    const silent = !reporting.has(request.model) && !switched(request, before, reporting);
    const miss = silent ? undefined : missOf(request, before, about(request.model), elsewhere);
    if (miss !== undefined && !request.copied) misses.push(miss);
    // What a compaction asks behind the prompt is no part of the prompts that follow.
    if (request.purpose !== 'compaction') before = request;
  }
  const own = requests.filter((request) => isReported(request) && !request.copied);
  const notReported = [...new Set(own.map(({ model }) => model))].filter(
    // One request alone may have found nothing and written nothing.
    (model) => !reporting.has(model) && own.filter((request) => request.model === model).length > 1,
  );
  return { misses, notReported, hitRate: hitRateOf(own) };
}

/** The new model has said nothing yet, but its endpoint is known to tell. */
function switched(
  { model }: LedgerRequest,
  before: LedgerRequest | undefined,
  reporting: ReadonlySet<string>,
): boolean {
  if (before === undefined || before.model === model || !reporting.has(before.model)) return false;
  return providerIn(before.model) === providerIn(model);
}

function providerIn(model: string): string {
  return model.slice(0, model.indexOf('/'));
}

/** What a session's first request shares with those of other sessions. */
export function firstRequest(requests: readonly LedgerRequest[]): FirstElsewhere | undefined {
  const first = requests.find(({ copied, apart }) => !copied && !apart);
  if (first === undefined) return undefined;
  const { model, at, endedAt } = first;
  return { model, at, endedAt, fixed: fixedOf(first) };
}

function isReported({ usage }: LedgerRequest): boolean {
  return usage?.reported === true && promptOf(usage) > 0;
}

function reportingModels(requests: readonly LedgerRequest[], about: (model: string) => CacheKnowledge) {
  const models = [...new Set(requests.map(({ model }) => model))];
  const reports = (model: string): boolean => {
    const known = about(model).reportsCache;
    if (known !== undefined) return known;
    return requests.some(
      ({ model: of, usage }) => of === model && ((usage?.cacheRead ?? 0) > 0 || (usage?.cacheWrite ?? 0) > 0),
    );
  };
  return new Set(models.filter(reports));
}

function missOf(
  request: LedgerRequest,
  before: LedgerRequest | undefined,
  about: CacheKnowledge,
  elsewhere: readonly FirstElsewhere[],
): Miss | undefined {
  const usage = request.usage;
  if (usage === undefined) return undefined;
  const prompt = promptOf(usage);
  const others = before === undefined ? sharing(request, about, elsewhere) : [];
  if (before === undefined && others.length === 0) return undefined;
  const held = before?.usage === undefined ? fixedTokens(request, prompt) : promptOf(before.usage);
  const tokens = Math.min(held, prompt) - usage.cacheRead;
  if (tokens <= noise) return undefined;
  const { requestId, seq, at, model } = request;
  const cause = causeOf({ request, before, about, held: Math.min(held, prompt), others });
  return { requestId, seq, at, model, tokens, read: usage.cacheRead, costPico: priceOf(request, tokens), ...cause };
}

/** Requests of other sessions from whose entry the fixed part could have been read, or was about to be. */
function sharing(
  { model, at, ...request }: LedgerRequest,
  about: CacheKnowledge,
  elsewhere: readonly FirstElsewhere[],
) {
  const fixed = fixedOf(request);
  return elsewhere.filter(
    (other) => other.model === model && other.fixed === fixed && other.at <= at && at - other.at <= about.cacheMs,
  );
}

/** They were written as far as something was, else sent uncached. */
function priceOf({ usage, rates }: LedgerRequest, tokens: number): number | null {
  if (usage === undefined || rates === undefined) return null;
  const hour = Math.min(tokens, usage.cacheWrite1h ?? 0);
  const written = Math.min(tokens, usage.cacheWrite) - hour;
  const uncached = tokens - written - hour;
  const paid = written * rates.cacheWrite + hour * (rates.cacheWrite1h ?? rates.cacheWrite) + uncached * rates.input;
  return Math.max(0, paid - tokens * rates.cacheRead);
}

function hitRateOf(requests: readonly LedgerRequest[]): number | null {
  let [read, prompts] = [0, 0];
  for (const { usage } of requests) {
    if (usage === undefined) continue;
    read += usage.cacheRead;
    prompts += promptOf(usage);
  }
  return prompts === 0 ? null : read / prompts;
}
