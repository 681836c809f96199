import { expect, test } from '@jest/globals';
import type { JsonValue } from '@zerd/protocol/common/json';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import { probeWindow } from '../../src/transport/probe-window.ts';
import { until } from '../support/collect.ts';
import { type Respond, startGateway } from '../support/gateway.ts';

/** A server that knows these paths alone. */
function serving(answers: Readonly<Record<string, JsonValue>>): Respond {
  return (response, { path }) => {
    const answer = answers[path];
    if (answer === undefined) response.writeHead(404).end('404 page not found');
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  };
}

async function probed(respond: Respond, modelId = 'qwen3', suffix = '/v1') {
  await using gateway = await startGateway();
  gateway.respond(respond);
  const found = await probeWindow(
    { wire: 'chat', baseUrl: gateway.url + suffix, apiKey: 'sk-canary-1' },
    modelId,
    manualClock(),
  );
  return { found, asked: gateway.received.map(({ path }) => path), received: gateway.received };
}

const loaded = {
  models: [
    { name: 'other:7b', model: 'other:7b', context_length: 1 },
    { name: 'qwen3:latest', model: 'qwen3:latest', size_vram: 1, context_length: 4096 },
  ],
};

test.each<[string, Readonly<Record<string, JsonValue>>, JsonValue]>([
  [
    'Ollama with the model loaded',
    { '/api/ps': loaded, '/api/show': { parameters: 'num_ctx 99' } },
    { tokens: 4096, server: 'Ollama' },
  ],
  [
    'Ollama with the model described',
    {
      '/api/ps': { models: [] },
      '/api/show': {
        parameters: 'stop "<|im_end|>"\nnum_ctx                        32768\n',
        model_info: { 'qwen3.context_length': 262144 },
      },
    },
    { tokens: 32768, server: 'Ollama' },
  ],
  [
    'llama.cpp',
    { '/props': { default_generation_settings: { n_ctx: 16384, params: {} }, total_slots: 1 } },
    { tokens: 16384, server: 'llama.cpp' },
  ],
  [
    'LM Studio',
    { '/api/v0/models': { data: [{ id: 'qwen3', loaded_context_length: 8192, max_context_length: 131072 }] } },
    { tokens: 8192, server: 'LM Studio' },
  ],
  ['vLLM', { '/v1/models': { data: [{ id: 'qwen3', max_model_len: 40960 }] } }, { tokens: 40960, server: 'vLLM' }],
])('%s says its real window', async (_, answers, expected) => {
  expect((await probed(serving(answers))).found).toEqual(expected);
});

test('what a model could take at most, other models, zeros and junk leave the window unknown', async () => {
  const answers = {
    '/api/ps': { models: [{ name: 'other', context_length: 5 }, null, 'x'] },
    '/api/show': { parameters: 'num_ctx many', model_info: { 'qwen3.context_length': 262144 } },
    '/props': { default_generation_settings: { n_ctx: 0 } },
    '/v1/models': { data: [{ id: 'qwen3', max_model_len: '40960' }] },
  };
  const { found, asked } = await probed(serving(answers));
  expect(found).toBeUndefined();
  expect(asked).toEqual(['/api/ps', '/api/show', '/props', '/api/v0/models', '/v1/models']);
  expect((await probed((response) => void response.writeHead(200).end('<html>'))).found).toBeUndefined();
  expect((await probed((response) => void response.destroy())).found).toBeUndefined();
});

test('the root is found with and without /v1, and the key goes along', async () => {
  for (const suffix of ['', '/', '/v1', '/v1/', '/proxy/v1']) {
    const { received } = await probed(serving({ '/api/ps': loaded, '/proxy/api/ps': loaded }), 'qwen3', suffix);
    expect(received.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      [`${suffix.startsWith('/proxy') ? '/proxy' : ''}/api/ps`, 'Bearer sk-canary-1'],
    ]);
  }
});

test("the vendor's own address is never asked", async () => {
  expect(await probeWindow({ wire: 'chat' }, 'gpt-5.5', manualClock())).toBeUndefined();
});

test('S-24: a redirect is not followed, so the key reaches no other host', async () => {
  await using sink = await startGateway();
  await probed((response, { path }) => void response.writeHead(302, { location: sink.url + path }).end());
  expect(sink.received).toEqual([]);
});

test('F-02: a server that accepts and says nothing is given up at the deadline', async () => {
  await using gateway = await startGateway();
  gateway.respond(() => {});
  const clock = manualClock();
  const probing = probeWindow({ wire: 'chat', baseUrl: gateway.url }, 'qwen3', clock);
  await until(() => gateway.received.length === 1);
  clock.advance(2000);
  expect(await probing).toBeUndefined();
  expect(clock.timers()).toBe(0);
  expect(gateway.received).toHaveLength(1);
});
