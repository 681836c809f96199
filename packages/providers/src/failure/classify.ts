/**
 * Turns a provider's refusal (HTTP status, body, headers, or an error inside a stream) into one ProviderFailure.
 * Codes decide before the status: a 429 for spent money is no rate limit and is never tried again. Words are not cut here:
 * a secret in them must be whole when it is taken out.
 */
import type { ProviderFailure } from '@zerd/core/model/answer';
import type { JsonObject, JsonValue } from '@zerd/protocol/common/json';
import { countOf, isObject, numberOf, objectOf, parseJson, textOf } from '../json/fields.ts';
import { isOverflow } from './overflow.ts';
import { readRetryAfter, waitInWords } from './retry-after.ts';

export interface Refusal {
  /** Absent when the error came inside a stream: then its type or code says which it is. */
  readonly status?: number | undefined;
  readonly body: JsonValue;
  readonly header?: (name: string) => string | null;
  /** Milliseconds of the epoch, for dates in `retry-after`. */
  readonly wallNow?: number;
}

interface Words {
  readonly status: number | undefined;
  readonly codes: readonly string[];
  readonly message: string;
  /** When a spent limit is lifted, milliseconds of the epoch. */
  readonly resetsAt: number | undefined;
}

type Code = ProviderFailure['code'];

export function classify(refusal: Refusal): ProviderFailure {
  const { header = () => null, wallNow = 0 } = refusal;
  const words = readWords(refusal);
  const code = codeOf(words, typeof refusal.body === 'string' && isHtml(refusal.body));
  const { resetsAt } = words;
  const untilReset = resetsAt === undefined || wallNow === 0 ? undefined : Math.max(0, resetsAt - wallNow);
  const asked = code === 'provider_rate_limited' ? waitInWords(words.message) : undefined;
  const retryAfterMs = readRetryAfter(header, wallNow) ?? untilReset ?? asked;
  return {
    code,
    message: resetsAt === undefined ? words.message : `${words.message} (until ${new Date(resetsAt).toISOString()})`,
    ...(words.status === undefined ? {} : { status: words.status }),
    retryable: mayRetry(code, header('x-should-retry')),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

export function isHtml(text: string): boolean {
  return /^\s*<(!doctype|html|head|body|\?xml|!--)/i.test(text);
}

const final: ReadonlySet<Code> = new Set<Code>([
  'provider_auth',
  'provider_quota',
  'provider_rejected',
  'provider_image_refused',
  'provider_malformed',
  'context_overflow',
]);

function mayRetry(code: Code, advice: string | null): boolean {
  return !final.has(code) && advice !== 'false';
}

/** Money or a plan is spent, not the rate: facts as of 2026-11-29 (Anthropic error_code, OpenAI code, DeepSeek's words). */
const quotaCodes =
  /^(insufficient_quota|credit_balance_exhausted|billing_error|billing_hard_limit_reached|usage_limit_reached|usage_not_included|.*spend_limit_reached|.*usage_limit_exceeded|subscription_sharing_.*|ramp_limit_exceeded)$/;
const quotaWords = /credit balance is too low|insufficient (balance|credits)/i;

function codeOf(words: Words, html: boolean): Code {
  const { status = 0, codes, message } = words;
  if (codes.some((code) => quotaCodes.test(code)) || quotaWords.test(message) || status === 402)
    return 'provider_quota';
  if (status === 429) return 'provider_rate_limited';
  if (html && status < 500) return 'provider_malformed';
  if (status >= 300 && status < 400) return 'provider_malformed';
  if (isOverflow(words)) return 'context_overflow';
  if (status === 401 || status === 403) return 'provider_auth';
  if (status === 529 || codes.includes('overloaded_error') || /\boverloaded\b/i.test(message))
    return 'provider_overloaded';
  if (status === 408 || status === 409 || status >= 500 || status === 0) return 'provider_failed';
  return isAboutImage(words) ? 'provider_image_refused' : 'provider_rejected';
}

/**
 * Too large, broken, of a type that it does not take, or images at all (Anthropic, OpenAI, OpenRouter, 2026-11). Whether
 * the request held one, the caller knows.
 */
function isAboutImage({ status, codes, message }: Words): boolean {
  const refused = status === 400 || status === 404 || status === 415 || status === 422;
  return refused && [message, ...codes].some((said) => /image|vision|multimodal/i.test(said));
}

/** What a type or code inside a stream would have been as an HTTP status. */
const statusOfType: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  invalid_prompt: 400,
  authentication_error: 401,
  invalid_api_key: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  api_error: 500,
  server_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

function readWords(refusal: Refusal): Words {
  const error = errorOf(refusal.body);
  const codes = error === undefined ? [] : codesIn(error);
  const status = refusal.status ?? statusIn(error, codes);
  return { status, codes, message: messageOf(refusal.body, error, status), resetsAt: resetIn(error) };
}

/** ChatGPT's backend says it in seconds; nothing beyond the year 5000 is meant. */
function resetIn(error: JsonObject | undefined): number | undefined {
  const seconds = countOf(error, 'resets_at');
  return seconds !== undefined && seconds > 0 && seconds < 1e11 ? seconds * 1000 : undefined;
}

/** Anthropic and OpenAI nest under `error`, Gemini in an array, some gateways not at all. */
function errorOf(body: JsonValue): JsonObject | undefined {
  const first = Array.isArray(body) ? body[0] : body;
  if (!isObject(first)) return undefined;
  return objectOf(first, 'error') ?? first;
}

function codesIn(error: JsonObject): readonly string[] {
  const code = textOf(error, 'code') ?? numberOf(error, 'code')?.toString();
  const details = objectOf(error, 'details');
  return [code, textOf(error, 'type'), textOf(details, 'error_code')].filter((found) => found !== undefined);
}

function statusIn(error: JsonObject | undefined, codes: readonly string[]): number | undefined {
  const known = codes.map((code) => statusOfType[code]).find((status) => status !== undefined);
  const number = numberOf(error, 'code');
  return known ?? (number !== undefined && number >= 400 && number < 600 ? number : undefined);
}

function messageOf(body: JsonValue, error: JsonObject | undefined, status: number | undefined): string {
  const where = status === undefined ? 'The provider reported an error' : `The provider answered ${status}`;
  // ChatGPT's backend and servers in Python say `detail`.
  const said =
    textOf(error, 'message') ?? (isObject(body) ? (textOf(body, 'error') ?? textOf(body, 'detail')) : undefined);
  if (said) return withUpstream(said, error);
  if (typeof body !== 'string') return body === null ? `${where}.` : `${where}: ${JSON.stringify(body)}`;
  if (isHtml(body)) return `${where} with an HTML page${titleOf(body)} instead of its API. Check baseUrl.`;
  return body.trim() === '' ? `${where} without a word.` : body.trim();
}

/** OpenRouter wraps what the provider behind it said. */
function withUpstream(said: string, error: JsonObject | undefined): string {
  const raw = textOf(objectOf(error, 'metadata'), 'raw');
  const inner = raw === undefined ? undefined : (textOf(errorOf(parseJson(raw) ?? raw), 'message') ?? raw);
  return inner === undefined || inner === said ? said : `${said}: ${inner}`;
}

function titleOf(html: string): string {
  const title = /<title[^>]*>([^<]+)/i.exec(html)?.[1]?.trim();
  return title ? ` ("${title}")` : '';
}
