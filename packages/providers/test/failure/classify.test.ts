import { expect, test } from '@jest/globals';
import type { ProviderFailure } from '@zerd/core/model/answer';
import type { JsonValue } from '@zerd/protocol/common/json';
import { classify } from '../../src/failure/classify.ts';
import { placeIn } from '../../src/failure/place.ts';
import { redact } from '../../src/failure/redact.ts';
import { failureOf } from '../../src/failure/thrown.ts';

const wallNow = Date.UTC(2026, 10, 29, 12);

function classified(
  status: number | undefined,
  body: JsonValue,
  headers: Record<string, string> = {},
): ProviderFailure {
  return classify({ status, body, header: (name) => headers[name] ?? null, wallNow });
}

function anthropic(type: string, message: string, errorCode?: string): JsonValue {
  return { type: 'error', error: { type, message, ...(errorCode ? { details: { error_code: errorCode } } : {}) } };
}

function openai(message: string, code: string | null = null, type = 'invalid_request_error'): JsonValue {
  return { error: { message, type, param: null, code } };
}

test.each<[string, number | undefined, JsonValue, ProviderFailure['code'], boolean]>([
  ['a wrong key', 401, anthropic('authentication_error', 'invalid x-api-key'), 'provider_auth', false],
  ['a right that is missing', 403, anthropic('permission_error', 'no'), 'provider_auth', false],
  ['no money', 402, anthropic('billing_error', 'pay'), 'provider_quota', false],
  [
    'a spend limit dressed as 429',
    429,
    anthropic('rate_limit_error', 'limit', 'enforced_spend_limit_reached'),
    'provider_quota',
    false,
  ],
  [
    'insufficient_quota as 429',
    429,
    openai('You exceeded your current quota', 'insufficient_quota'),
    'provider_quota',
    false,
  ],
  [
    'a spent credit dressed as 400',
    400,
    anthropic('invalid_request_error', 'Your credit balance is too low'),
    'provider_quota',
    false,
  ],
  ['the rate', 429, anthropic('rate_limit_error', 'slow down'), 'provider_rate_limited', true],
  [
    'the rate in tokens is no overflow',
    429,
    openai('Rate limit: reduce the length of the messages'),
    'provider_rate_limited',
    true,
  ],
  ['overload', 529, anthropic('overloaded_error', 'Overloaded'), 'provider_overloaded', true],
  [
    'overload dressed as 503',
    503,
    openai('The server is overloaded', null, 'server_error'),
    'provider_overloaded',
    true,
  ],
  ['a failure', 500, anthropic('api_error', 'oops'), 'provider_failed', true],
  ['a timeout of theirs', 504, anthropic('timeout_error', 'late'), 'provider_failed', true],
  [
    'a proxy page in front of a dead server',
    502,
    '<html><title>502 Bad Gateway</title></html>',
    'provider_failed',
    true,
  ],
  ['a bad request', 400, anthropic('invalid_request_error', 'tools: wrong'), 'provider_rejected', false],
  [
    'an image that is too large',
    400,
    anthropic(
      'invalid_request_error',
      'messages.4.content.0.tool_result.content.1.image.source.base64: image exceeds 10 MB maximum: 12000000 bytes > 10485760 bytes',
    ),
    'provider_image_refused',
    false,
  ],
  [
    'an image that cannot be read',
    400,
    anthropic('invalid_request_error', 'Could not process image'),
    'provider_image_refused',
    false,
  ],
  [
    'an image by its code alone',
    400,
    openai('Please check your input and try again.', 'image_parse_error'),
    'provider_image_refused',
    false,
  ],
  [
    'images to a model that sees none',
    404,
    openai('No endpoints found that support image input'),
    'provider_image_refused',
    false,
  ],
  [
    'an image that makes the prompt too long is an overflow',
    400,
    anthropic('invalid_request_error', 'prompt is too long: the image has 300000 tokens'),
    'context_overflow',
    false,
  ],
  ['a server that fails at an image', 500, openai('image worker crashed'), 'provider_failed', true],
  ['a model nobody knows', 404, openai('The model `x` does not exist', 'model_not_found'), 'provider_rejected', false],
  ['a page where the API should be', 404, '<!DOCTYPE html><html>', 'provider_malformed', false],
  ['a redirect', 308, '', 'provider_malformed', false],
  [
    'an error inside a stream: overload',
    undefined,
    anthropic('overloaded_error', 'Overloaded'),
    'provider_overloaded',
    true,
  ],
  [
    'an error inside a stream: rate',
    undefined,
    { message: 'x', code: 'rate_limit_exceeded' },
    'provider_rate_limited',
    true,
  ],
  ['an error inside a stream: prompt', undefined, { message: 'x', code: 'invalid_prompt' }, 'provider_rejected', false],
  ['an error inside a stream that says nothing', undefined, {}, 'provider_failed', true],
])('%s', (_, status, body, code, retryable) => {
  expect(classified(status, body)).toMatchObject({ code, retryable });
});

test.each<[string, number, JsonValue]>([
  ['Anthropic', 400, anthropic('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum')],
  ['Anthropic, by bytes', 413, anthropic('request_too_large', 'Request exceeds the maximum size')],
  ['any 413', 413, ''],
  ['OpenAI Responses', 400, openai('Your input exceeds the context window of this model.')],
  ['OpenAI Chat', 400, openai("This model's maximum context length is 8192 tokens.", 'context_length_exceeded')],
  ['a code alone', 400, openai('Too much.', 'context_length_exceeded')],
  [
    'Gemini',
    400,
    [
      {
        error: {
          code: 400,
          message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
        },
      },
    ],
  ],
  ['xAI', 400, openai("This model's maximum prompt length is 131072")],
  ['Groq', 400, openai('Please reduce the length of the messages or completion.')],
  ['llama.cpp', 400, openai('the request exceeds the available context size, try increasing it')],
  ['LM Studio', 400, openai('The number of tokens to keep from the initial prompt is greater than the context length')],
  ['MiniMax', 400, openai('invalid params, context window exceeds limit')],
  ['Kimi', 400, openai('Invalid request: Your request exceeded model token limit: 262144')],
  ['Qwen', 400, openai('Range of input length should be [1, 129024]')],
  ['z.ai', 400, { error: { code: '1261', message: 'Prompt exceeds max length' } }],
  ['vLLM, as 500', 500, openai('maximum context length is 4096 tokens')],
])('F-12: overflow in the words of %s', (_, status, body) => {
  expect(classified(status, body)).toMatchObject({ code: 'context_overflow', retryable: false });
});

test.each<[Record<string, string>, number | undefined]>([
  [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1500],
  [{ 'retry-after': '3600' }, 3_600_000],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after': 'Sun, 29 Nov 2026 12:01:30 GMT' }, 90_000],
  [{ 'retry-after': 'Sun, 29 Nov 2026 11:00:00 GMT' }, 0],
  [{ 'retry-after': 'soon' }, undefined],
  [{}, undefined],
])('F-11: %j asks to wait %s ms', (headers, ms) => {
  expect(classified(429, openai('slow'), headers).retryAfterMs).toBe(ms);
});

test('x-should-retry: false is obeyed, true revives no refusal', () => {
  expect(classified(500, '', { 'x-should-retry': 'false' }).retryable).toBe(false);
  expect(classified(401, '', { 'x-should-retry': 'true' }).retryable).toBe(false);
});

test("the message is the provider's own, or says what came instead", () => {
  expect(classified(400, anthropic('invalid_request_error', 'tools: wrong')).message).toBe('tools: wrong');
  expect(classified(404, '<html><title> Not here </title>').message).toBe(
    'The provider answered 404 with an HTML page ("Not here") instead of its API. Check baseUrl.',
  );
  expect(classified(500, '').message).toBe('The provider answered 500 without a word.');
  expect(classified(500, { odd: 1 }).message).toBe('The provider answered 500: {"odd":1}');
});

test('an address is told by host and port, without a user, a path or a key (S-64)', () => {
  expect(
    [
      'https://me:sk-secret@api.example.org/v1?key=sk-secret',
      'http://localhost',
      'http://[::1]:8080/v1',
      'nowhere',
    ].map(placeIn),
  ).toEqual(['api.example.org:443', 'localhost:80', '[::1]:8080', undefined]);
  const lost = { cause: { code: 'ENOTFOUND', hostname: 'api.example.org' } };
  expect(failureOf(lost, 'connecting', 'api.example.org:443').message).toBe(
    'No connection to api.example.org:443 (ENOTFOUND). Check baseUrl and the network.',
  );
  const refused = { cause: { code: 'ECONNREFUSED', address: '::1', port: 8080 } };
  expect(failureOf(refused, 'connecting', 'localhost:8080').message).toBe(
    'No connection to localhost:8080 (ECONNREFUSED ::1:8080). Check baseUrl and the network.',
  );
});

test('what the network throws is told by how far the attempt had come', () => {
  const refused = Object.assign(new Error('x'), {
    cause: Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } }),
  });
  expect(failureOf(refused, 'connecting')).toEqual({
    code: 'provider_unreachable',
    message: expect.stringMatching(/^No connection to the provider \(ECONNREFUSED\b/),
    retryable: true,
  });
  const defect = Object.assign(new Error('Connection error.'), { cause: new TypeError('x is not a function') });
  expect(failureOf(defect, 'connecting').message).toBe(
    'No connection to the provider (x is not a function). Check baseUrl and the network.',
  );
  expect(failureOf({ code: 'UND_ERR_SOCKET' }, 'waiting')).toMatchObject({
    code: 'provider_truncated',
    retryable: true,
  });
  expect(failureOf(new TypeError('terminated'), 'reading')).toMatchObject({
    code: 'provider_truncated',
    retryable: true,
  });
  expect(failureOf({ cause: { code: 'CERT_HAS_EXPIRED' } }, 'connecting')).toMatchObject({
    code: 'provider_unreachable',
    retryable: false,
  });
  expect(failureOf(new SyntaxError('Unexpected token sk-secret'), 'reading')).toEqual({
    code: 'provider_malformed',
    message: 'The stream holds data that is not JSON.',
    retryable: false,
  });
});

test('S-64: a secret is taken out of a message before it is cut', () => {
  const key = 'sk-canary-0123456789';
  expect(redact(`bad key ${key}, yes ${key}`, [key])).toBe('bad key [key], yes [key]');
  const atTheEdge = redact('x'.repeat(595) + key, [key]);
  expect(atTheEdge).not.toContain('sk-');
  expect(redact('the model none is unknown', ['none', ''])).toBe('the model none is unknown');
});
