/**
 * Refuses what ChatGPT's backend for coding clients refuses (reports and clients as of 2026-11-29): it wants its headers,
 * takes fewer parameters, and answers with `{"detail": "..."}`. Stricter than it in one thing: `session-id` must equal
 * `prompt_cache_key`, without which it serves and caches nothing.
 */
import { type Json, stringOf } from '../wire.ts';
import { judgeResponses } from './judge-responses.ts';
import { firstOf, type Headers, invalid, type Judge, stricter, type Verdict } from './verdict.ts';

export const judgeCodex: Judge = (body, issued, headers) =>
  firstOf(judgeHeaders(headers)) ??
  firstOf(judgeBody(body)) ??
  judgeResponses(body, issued, headers) ??
  judgeCacheKey(body, headers);

function* judgeHeaders(headers: Headers): Iterable<Verdict> {
  for (const name of ['chatgpt-account-id', 'originator', 'session-id']) {
    if ((headers[name] ?? '') === '') yield invalid(`Missing required header: ${name}`);
  }
  if (headers['openai-beta'] !== 'responses=experimental') yield invalid('Missing required header: OpenAI-Beta');
  if (!(headers.accept ?? '').includes('text/event-stream')) yield invalid('Accept must include text/event-stream');
}

const refused: readonly string[] =
  'max_output_tokens temperature top_p top_logprobs truncation user metadata background previous_response_id prompt_cache_retention prompt_cache_options safety_identifier'.split(
    ' ',
  );

function* judgeBody(body: Json): Iterable<Verdict> {
  if (body.store !== false) yield invalid('Store must be set to false');
  if (body.stream !== true) yield invalid('Stream must be set to true');
  if (typeof body.input === 'string') yield invalid('Input must be a list');
  const parameter = Object.keys(body).find((key) => refused.includes(key));
  if (parameter !== undefined) yield invalid(`Unsupported parameter: ${parameter}`);
}

function judgeCacheKey(body: Json, headers: Headers): Verdict | undefined {
  const key = stringOf(body.prompt_cache_key);
  if (key !== '' && key === headers['session-id']) return undefined;
  return stricter(`session-id must equal prompt_cache_key '${key}'`, 'prompt_cache_key');
}
