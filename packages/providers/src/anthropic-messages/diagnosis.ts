/**
 * Reads `message.diagnostics` (@anthropic-ai/sdk 1.14.0, 2026-11-24): null says that the request began as the one before,
 * a null reason that the comparison is not done yet. It compares requests, not what the cache held.
 */
import type { Diagnosis } from '@zerd/protocol/common/cost-events';
import type { JsonObject } from '@zerd/protocol/common/json';
import { countOf, objectOf, textOf } from '../json/fields.ts';

/** Types that say nothing about what was sent. */
const silent: ReadonlySet<string> = new Set(['previous_message_not_found', 'unavailable']);

/** Of a request that asked; undefined: the endpoint does not know the question. */
export function readDiagnosis(message: JsonObject | undefined): Diagnosis | undefined {
  if (message === undefined || message.diagnostics === undefined) return undefined;
  if (message.diagnostics === null) return { verdict: 'same' };
  const reason = objectOf(objectOf(message, 'diagnostics'), 'cache_miss_reason');
  const type = textOf(reason, 'type');
  if (type === undefined) return { verdict: 'unknown' };
  const missed = countOf(reason, 'cache_missed_input_tokens');
  const missedTokens = missed === undefined ? {} : { missedTokens: missed };
  return { verdict: silent.has(type) ? 'unknown' : 'changed', reason: type, ...missedTokens };
}
