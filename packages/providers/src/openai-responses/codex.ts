/**
 * The headers of ChatGPT's backend for coding clients (facts as of 2026-11-29; undocumented for third parties). Invariant:
 * `session-id` equals the body's `prompt_cache_key`: without both, that backend caches nothing.
 */
import type { JsonObject } from '@zerd/protocol/common/json';
import { objectOf, parseJson, textOf } from '../json/fields.ts';

export const codexBaseUrl = 'https://chatgpt.com/backend-api/codex';

/** Beside the bearer token, which is the endpoint's key. */
export function codexHeaders(body: JsonObject, accessToken: string | undefined): Readonly<Record<string, string>> {
  const session = textOf(body, 'prompt_cache_key');
  const account = accessToken === undefined ? undefined : accountIdIn(accessToken);
  return {
    accept: 'text/event-stream',
    originator: 'zerd',
    'openai-beta': 'responses=experimental',
    ...(account === undefined ? {} : { 'chatgpt-account-id': account }),
    ...(session === undefined ? {} : { 'session-id': session, 'x-client-request-id': session }),
  };
}

/** The account that an access token names; undefined: it is no such token. */
function accountIdIn(accessToken: string): string | undefined {
  const claims = accessToken.split('.')[1] ?? '';
  const json = parseJson(Buffer.from(claims, 'base64url').toString('utf8'));
  return textOf(objectOf(json, 'https://api.openai.com/auth'), 'chatgpt_account_id');
}
