import { expect, test } from '@jest/globals';
import { createProvider } from '../../src/create-provider.ts';
import type { Endpoint, Provider } from '../../src/provider.ts';
import { failureOf, only, withGateway } from '../support/attempts.ts';
import { essence, run } from '../support/collect.ts';
import { eventStream, type Gateway, type Respond } from '../support/gateway.ts';
import { fullPrompt, settings } from '../support/prompts.ts';
import { responsesChunks, responsesSse } from '../support/responses-stream.ts';

const claims = { 'https://api.openai.com/auth': { chatgpt_account_id: 'acc-1' } };
const token = `eyJhbGciOiJub25lIn0.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2lnbmF0dXJl`;

/** The provider with what it would send as the body of every attempt. */
function codexAt(gateway: Gateway, more: Partial<Endpoint> = {}): Provider {
  const baseUrl = `${gateway.url}/backend-api/codex`;
  const provider = createProvider({ wire: 'responses', codex: true, baseUrl, apiKey: token, ...more });
  const body = provider.encode({ ...fullPrompt, cacheKey: 'ses_0123456789' }, { ...settings, modelId: 'gpt-6.2-sol' });
  return { ...provider, stream: (_, options) => provider.stream(body, options) };
}

const answering: Respond = (response) => void eventStream(response).end(responsesSse(responsesChunks));

test("ChatGPT's backend gets the account, the session as the cache key says it, and the token as the key", async () => {
  await withGateway(answering, async (gateway) => {
    const events = await run(codexAt(gateway)).ended;
    expect(essence(events).at(-1)).toMatchObject({ kind: 'finished', answer: { stopReason: 'toolUse' } });
    const { path, headers, body } = only(gateway);
    expect(path).toBe('/backend-api/codex/responses');
    expect(headers).toMatchObject({
      accept: 'text/event-stream',
      authorization: `Bearer ${token}`,
      'chatgpt-account-id': 'acc-1',
      'content-type': 'application/json',
      'openai-beta': 'responses=experimental',
      originator: 'zerd',
      'session-id': 'ses_0123456789',
      'x-client-request-id': 'ses_0123456789',
    });
    const sent = JSON.parse(body) as Record<string, unknown>;
    expect(sent.prompt_cache_key).toBe(headers['session-id']);
    expect(Object.keys(sent)).toEqual([
      'model',
      'stream',
      'store',
      'text',
      'tool_choice',
      'parallel_tool_calls',
      'include',
      'reasoning',
      'prompt_cache_key',
      'tools',
      'input',
    ]);
    expect(body).not.toContain('prompt_cache_breakpoint');
    expect(body).toContain(
      '{"type":"message","role":"developer","content":[{"type":"input_text","text":"Be brief."}]}',
    );
  });
});

test('the API itself gets none of these headers', async () => {
  await withGateway(answering, async (gateway) => {
    await run(codexAt(gateway, { codex: false })).ended;
    expect(Object.keys(only(gateway).headers)).toEqual(
      expect.not.arrayContaining(['originator', 'session-id', 'chatgpt-account-id', 'openai-beta']),
    );
  });
});

function refusing(status: number, error: object): Respond {
  return (response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
}

test.each<[string, Respond, object]>([
  [
    'a spent plan, with the time of its reset',
    refusing(429, {
      type: 'usage_limit_reached',
      message: 'The usage limit has been reached',
      plan_type: 'plus',
      resets_at: Date.UTC(2026, 10, 29, 1) / 1000,
    }),
    {
      code: 'provider_quota',
      message: 'The usage limit has been reached (until 2026-11-29T01:00:00.000Z)',
      status: 429,
      retryable: false,
      retryAfterMs: 3_600_000,
    },
  ],
  [
    'a plan without coding',
    refusing(429, { type: 'usage_not_included', message: 'To use Codex, upgrade to Plus', plan_type: 'free' }),
    { code: 'provider_quota', message: 'To use Codex, upgrade to Plus', status: 429, retryable: false },
  ],
  [
    'the rate',
    refusing(429, { type: 'rate_limit_exceeded', message: 'Slow down. Please try again in 1.5s.' }),
    {
      code: 'provider_rate_limited',
      message: 'Slow down. Please try again in 1.5s.',
      status: 429,
      retryable: true,
      retryAfterMs: 1500,
    },
  ],
  [
    'a parameter that it does not take',
    (response) => void response.writeHead(400).end('{"detail":"Unsupported parameter: max_output_tokens"}'),
    {
      code: 'provider_rejected',
      message: 'Unsupported parameter: max_output_tokens',
      status: 400,
      retryable: false,
    },
  ],
  [
    'a spent plan inside the stream',
    (response) =>
      void eventStream(response).write(
        'event: error\ndata: {"type":"error","error":{"type":"usage_limit_reached","message":"Spent","resets_at":1796000400}}\n\n',
      ),
    { code: 'provider_quota', message: `Spent (until ${new Date(1_796_000_400_000).toISOString()})`, retryable: false },
  ],
])('%s is told as what it is', async (_, respond, expected) => {
  await withGateway(respond, async (gateway) => {
    expect(await failureOf(run(codexAt(gateway)))).toEqual(expected);
  });
});

test('S-64: the token is in no message', async () => {
  await withGateway(refusing(401, { message: `Bad token ${token}` }), async (gateway) => {
    expect((await failureOf(run(codexAt(gateway)))).message).toBe('Bad token [key]');
  });
});
