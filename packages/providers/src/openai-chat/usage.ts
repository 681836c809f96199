/**
 * Converts a Chat Completions usage object to the house's one meaning. `prompt_tokens` includes what was read from and
 * written to the cache; where the read part stands differs by endpoint (facts as of 2026-11-29): llama.cpp's older builds
 * have it in their `timings` alone, vLLM tells it only when started so, Ollama always says 0.
 */

import { unreported } from '@zerd/core/model/answer';
import type { JsonObject } from '@zerd/protocol/common/json';
import type { Usage } from '@zerd/protocol/common/usage';
import { countOf, numberOf, objectOf } from '../json/fields.ts';
import { servedAs } from '../served-as.ts';

/** `tier`: the answer's own word for how it was served. */
export function usageOf(usage: JsonObject | undefined, timings?: JsonObject, tier?: string): Usage {
  const prompt = countOf(usage, 'prompt_tokens') ?? sumOf(timings, 'cache_n', 'prompt_n');
  const output = usage === undefined ? sumOf(timings, 'predicted_n') : outputOf(usage);
  if (prompt + output === 0) return unreported;
  const details = objectOf(usage, 'prompt_tokens_details');
  const read =
    countOf(details, 'cached_tokens') ??
    countOf(usage, 'prompt_cache_hit_tokens') ??
    countOf(usage, 'cached_tokens') ??
    sumOf(timings, 'cache_n');
  const cacheRead = Math.min(read, prompt);
  const cacheWrite = Math.min(countOf(details, 'cache_write_tokens') ?? 0, prompt - cacheRead);
  const reasoning = reasoningOf(usage);
  return {
    uncached: prompt - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    output,
    ...(reasoning > 0 ? { reasoning } : {}),
    ...servedAs(tier),
    reported: true,
  };
}

function sumOf(counts: JsonObject | undefined, ...fields: readonly string[]): number {
  return fields.reduce((sum, field) => sum + (countOf(counts, field) ?? 0), 0);
}

function reasoningOf(usage: JsonObject | undefined): number {
  return countOf(objectOf(usage, 'completion_tokens_details'), 'reasoning_tokens') ?? 0;
}

/** xAI counts reasoning beside the completion, the others inside it: the total tells. */
function outputOf(usage: JsonObject | undefined): number {
  const completion = countOf(usage, 'completion_tokens') ?? 0;
  const beside = completion + reasoningOf(usage);
  return countOf(usage, 'total_tokens') === (countOf(usage, 'prompt_tokens') ?? 0) + beside ? beside : completion;
}

/** OpenRouter says what it billed, in USD; a request on the user's own key is billed by the provider behind it too. */
export function billedPicoOf(usage: JsonObject | undefined): number | undefined {
  const cost = numberOf(usage, 'cost');
  if (cost === undefined || cost < 0) return undefined;
  const upstream =
    usage?.is_byok === true ? (numberOf(objectOf(usage, 'cost_details'), 'upstream_inference_cost') ?? 0) : 0;
  const pico = Math.round((cost + upstream) * 1e12);
  // No request costs $9,007: what is larger than whole numbers go is no price.
  return Number.isSafeInteger(pico) ? pico : undefined;
}
