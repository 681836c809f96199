/**
 * Collects a Messages stream's usage and converts it to the house's one meaning. The stream counts cumulatively, some
 * proxies begin with an estimate of the whole prompt, and some leave fields out or send zeros later: the newest figure of
 * each kind that is not 0 holds.
 */

import type { JsonObject } from '@zerd/protocol/common/json';
import type { Usage } from '@zerd/protocol/common/usage';
import { countOf, objectOf, textOf } from '../json/fields.ts';
import { servedAs } from '../served-as.ts';

export interface UsageCounts {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cacheWrite1h: number;
  readonly output: number;
  readonly thinking: number;
  readonly tier?: string;
}

export const noCounts: UsageCounts = { input: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 0, thinking: 0 };

export function readCounts(known: UsageCounts, usage: JsonObject | undefined): UsageCounts {
  const more = (before: number, field: string, of: JsonObject | undefined = usage) => countOf(of, field) || before;
  return {
    input: more(known.input, 'input_tokens'),
    cacheRead: more(known.cacheRead, 'cache_read_input_tokens'),
    cacheWrite: more(known.cacheWrite, 'cache_creation_input_tokens'),
    cacheWrite1h: more(known.cacheWrite1h, 'ephemeral_1h_input_tokens', objectOf(usage, 'cache_creation')),
    output: more(known.output, 'output_tokens'),
    thinking: more(known.thinking, 'thinking_tokens', objectOf(usage, 'output_tokens_details')),
    ...servedAs(textOf(usage, 'speed'), textOf(usage, 'service_tier'), known.tier),
  };
}

/** `input_tokens` is only the uncached rest. No prompt has no tokens: zeros throughout are no report. */
export function usageOf(counts: UsageCounts): Usage {
  const { input, cacheRead, cacheWrite, cacheWrite1h, output, thinking, tier } = counts;
  return {
    uncached: input,
    cacheRead,
    cacheWrite,
    ...(cacheWrite1h > 0 ? { cacheWrite1h } : {}),
    output,
    ...(thinking > 0 ? { reasoning: thinking } : {}),
    ...servedAs(tier),
    reported: input + cacheRead + cacheWrite + output > 0,
  };
}
