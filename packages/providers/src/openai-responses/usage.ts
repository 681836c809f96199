/**
 * Converts a Responses usage object to the house's one meaning. `input_tokens` includes what was read from and written to
 * the cache (2026-11); models before GPT-5.6 write for nothing and report no writes.
 */

import type { JsonObject } from '@zerd/protocol/common/json';
import type { Usage } from '@zerd/protocol/common/usage';
import { countOf, objectOf } from '../json/fields.ts';
import { servedAs } from '../served-as.ts';

/** `tier`: the response's own word for how it was served. */
export function usageOf(usage: JsonObject | undefined, tier?: string): Usage {
  const input = countOf(usage, 'input_tokens') ?? 0;
  const output = countOf(usage, 'output_tokens') ?? 0;
  const details = objectOf(usage, 'input_tokens_details');
  const cacheRead = Math.min(countOf(details, 'cached_tokens') ?? 0, input);
  const cacheWrite = Math.min(countOf(details, 'cache_write_tokens') ?? 0, input - cacheRead);
  const reasoning = countOf(objectOf(usage, 'output_tokens_details'), 'reasoning_tokens') ?? 0;
  return {
    uncached: input - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    output,
    ...(reasoning > 0 ? { reasoning } : {}),
    ...servedAs(tier),
    reported: input + output > 0,
  };
}
