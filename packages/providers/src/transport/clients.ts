/**
 * Opens a stream through the official SDK of each wire. Everything the SDKs would take from the environment (keys,
 * addresses, headers, log levels, credential files) is pinned, so that no variable reaches a request (S-23, S-24).
 */
import type { JsonObject, JsonValue } from '@zerd/protocol/common/json';
import { loadLate } from '@zerd/protocol/node/load-late';
import { objectOf } from '../json/fields.ts';
import { codexBaseUrl, codexHeaders } from '../openai-responses/codex.ts';
import { planHeaders } from '../openai-responses/plan.ts';
import type { Endpoint } from '../provider.ts';

export type OpenStream = (
  body: JsonObject,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
  /** The key, or the token of a sign-in. */
  apiKey: string | undefined,
) => Promise<AsyncIterable<JsonValue>>;

const loadAnthropic = loadLate(async () => (await import('@anthropic-ai/sdk')).default);
const loadOpenai = loadLate(async () => (await import('openai')).default);

/** Deadlines are ours; the SDKs' own clock must never be first. */
const timeout = 2 ** 31 - 1;
/** A placeholder that never leaves: without a key both headers are taken out. */
const noKey = 'none';

/** The SDK would send `Authorization: Bearer`; gateways of this wire want `x-api-key`, and Anthropic takes it. */
export function anthropicStream(endpoint: Endpoint): OpenStream {
  return async (body, fetch, signal, apiKey) => {
    const Anthropic = await loadAnthropic();
    const client = withoutEnvironment(
      () =>
        new Anthropic({
          apiKey: apiKey ?? noKey,
          baseURL: endpoint.baseUrl ?? 'https://api.anthropic.com',
          webhookKey: null,
          defaultHeaders: { ...endpoint.headers, authorization: null, 'x-api-key': apiKey ?? null },
          maxRetries: 0,
          timeout,
          fetch,
          logLevel: 'off',
          openTelemetry: false,
        }),
    );
    const options = { body, stream: true, signal, headers: betaHeaders(body) };
    return (await client.post('/v1/messages', options)) as AsyncIterable<JsonValue>;
  };
}

/** What the API takes only under the name of its trial (2026-11). */
function betaHeaders(body: JsonObject): Readonly<Record<string, string>> {
  const binds = objectOf(body, 'thinking')?.block_binding !== undefined;
  return binds ? { 'anthropic-beta': 'thinking-binding-controls-2026-08-01' } : {};
}

export function chatStream(endpoint: Endpoint): OpenStream {
  return openaiStream(endpoint, 'https://api.openai.com/v1', '/chat/completions', () => ({}));
}

export function responsesStream(endpoint: Endpoint): OpenStream {
  if (endpoint.codex === true) return openaiStream(endpoint, codexBaseUrl, '/responses', codexHeaders);
  const headersFor = endpoint.plan === true ? planHeaders : () => ({});
  return openaiStream(endpoint, 'https://api.openai.com/v1', '/responses', headersFor);
}

function openaiStream(
  endpoint: Endpoint,
  vendor: string,
  path: string,
  headersFor: (body: JsonObject, apiKey: string | undefined) => Readonly<Record<string, string>>,
): OpenStream {
  return async (body, fetch, signal, apiKey) => {
    const OpenAI = await loadOpenai();
    const client = withoutEnvironment(
      () =>
        new OpenAI({
          apiKey: apiKey ?? noKey,
          adminAPIKey: null,
          baseURL: endpoint.baseUrl ?? vendor,
          organization: null,
          project: null,
          webhookSecret: null,
          defaultHeaders: { ...endpoint.headers, ...(apiKey === undefined ? { authorization: null } : {}) },
          maxRetries: 0,
          timeout,
          fetch,
          logLevel: 'off',
        }),
    );
    const options = { body, stream: true, signal, headers: headersFor(body, apiKey) };
    return (await client.post(path, options)) as AsyncIterable<JsonValue>;
  };
}

/** Both SDKs add headers from a variable that no option overrides, so the variables are away while a client is made. */
function withoutEnvironment<T>(make: () => T): T {
  const hidden = Object.entries(process.env).filter(([name]) => /^(ANTHROPIC|OPENAI)_/.test(name));
  for (const [name] of hidden) delete process.env[name];
  try {
    return make();
  } finally {
    for (const [name, value] of hidden) process.env[name] = value;
  }
}
