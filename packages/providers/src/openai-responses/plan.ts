/**
 * The headers of OpenAI's API where a ChatGPT plan pays for it ("Sign in with ChatGPT", facts as of 2026-11-29). Invariant:
 * `session-id` equals the body's `prompt_cache_key`.
 */
import type { JsonObject } from '@zerd/protocol/common/json';
import { textOf } from '../json/fields.ts';

export function planHeaders(body: JsonObject): Readonly<Record<string, string>> {
  const session = textOf(body, 'prompt_cache_key');
  return session === undefined ? {} : { 'session-id': session };
}
