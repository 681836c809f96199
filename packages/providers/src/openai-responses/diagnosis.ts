/**
 * Reads `response.prompt_cache_diagnostics` (openai 7.11.0 types, 2026-09-08): best effort, given when the request named
 * an answer to compare with.
 */
import type { Diagnosis } from '@zerd/protocol/common/cost-events';
import type { JsonObject } from '@zerd/protocol/common/json';
import { countOf, objectOf, textOf } from '../json/fields.ts';

/** Undefined: none was given. */
export function readDiagnosis(response: JsonObject): Diagnosis | undefined {
  const said = objectOf(response, 'prompt_cache_diagnostics');
  const type = textOf(said, 'type');
  if (type === undefined) return undefined;
  if (type === 'cache_hit') return { verdict: 'same' };
  if (type !== 'cache_miss') return { verdict: 'unknown', reason: type };
  const reason = textOf(said, 'reason');
  const missed = countOf(said, 'cache_missed_tokens');
  return {
    verdict: reason === undefined ? 'unknown' : 'changed',
    ...(reason === undefined ? {} : { reason }),
    ...(missed === undefined ? {} : { missedTokens: missed }),
  };
}
