import { expect, test } from '@jest/globals';
import { createProvider } from '../../src/create-provider.ts';
import type { Endpoint, Provider } from '../../src/provider.ts';
import { failureOf, only, withGateway } from '../support/attempts.ts';
import { essence, run } from '../support/collect.ts';
import { eventStream, type Gateway, type Respond } from '../support/gateway.ts';
import { fullPrompt, settings } from '../support/prompts.ts';
import { responsesChunks, responsesSse } from '../support/responses-stream.ts';

function planAt(gateway: Gateway, more: Partial<Endpoint> = {}): Provider {
  const baseUrl = `${gateway.url}/v1`;
  const token = () => Promise.resolve({ access: 'the-access-token' });
  const provider = createProvider({ wire: 'responses', plan: true, baseUrl, token, diagnosis: 'openai', ...more });
  const prompt = { ...fullPrompt, cacheKey: 'ses_0123456789', previousResponseId: 'resp_1' };
  const body = provider.encode(prompt, { ...settings, modelId: 'gpt-6.2' });
  return { ...provider, stream: (_, options) => provider.stream(body, options) };
}

const answering: Respond = (response) => void eventStream(response).end(responsesSse(responsesChunks));

test('golden: the API that a plan pays for gets the token, the session as its cache key, and none of what it refuses', async () => {
  await withGateway(answering, async (gateway) => {
    const events = await run(planAt(gateway)).ended;
    expect(essence(events).at(-1)).toMatchObject({ kind: 'finished' });
    const { path, headers, body } = only(gateway);
    expect(path).toBe('/v1/responses');
    expect(headers).toMatchObject({ authorization: 'Bearer the-access-token', 'session-id': 'ses_0123456789' });
    expect(Object.keys(headers)).toEqual(
      expect.not.arrayContaining(['chatgpt-account-id', 'originator', 'openai-beta']),
    );
    const sent = JSON.parse(body) as Record<string, unknown>;
    expect(Object.keys(sent)).toEqual(['model', 'stream', 'store', 'include', 'prompt_cache_key', 'tools', 'input']);
    expect(sent).toMatchObject({ store: false, stream: true, prompt_cache_key: 'ses_0123456789' });
    expect(body).not.toMatch(/prompt_cache_retention|prompt_cache_options|max_output_tokens|temperature|breakpoint/);
    expect(body).toContain('"input":[{"type":"message","role":"developer"');
  });
});

test('each attempt asks for the token anew', async () => {
  await withGateway(answering, async (gateway) => {
    let asked = 0;
    const provider = planAt(gateway, { token: () => Promise.resolve({ access: `token-number-${++asked}` }) });
    await run(provider).ended;
    await run(provider).ended;
    expect(gateway.received.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer token-number-1',
      'Bearer token-number-2',
    ]);
  });
});

test('without a token nothing is sent, and the reason is the failure', async () => {
  await withGateway(answering, async (gateway) => {
    const failure = { code: 'provider_auth', message: 'Sign in again: zerd login chatgpt', retryable: false } as const;
    expect(await failureOf(run(planAt(gateway, { token: () => Promise.resolve({ failure }) })))).toEqual(failure);
    expect(gateway.received).toEqual([]);
  });
});

test('S-64: a token that is quoted is in no message', async () => {
  const refusing: Respond = (response) =>
    void response
      .writeHead(401, { 'content-type': 'application/json' })
      .end(JSON.stringify({ error: { message: 'Bad token the-access-token' } }));
  await withGateway(refusing, async (gateway) => {
    expect((await failureOf(run(planAt(gateway)))).message).toBe('Bad token [key]');
  });
});

test.each(['subscription_sharing_usage_limit_exceeded', 'subscription_sharing_workplace_individual_limit'])(
  'a spent plan (%s) is told as what it is, and not tried again',
  async (code) => {
    const refusing: Respond = (response) =>
      void response
        .writeHead(429, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: { code, message: 'Your plan is used up' } }));
    await withGateway(refusing, async (gateway) => {
      expect(await failureOf(run(planAt(gateway)))).toMatchObject({ code: 'provider_quota', retryable: false });
    });
  },
);
