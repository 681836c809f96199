import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Clock } from '@zerd/protocol/node/clock';
import type { Player } from '@zerd/simulator/players/player';
import { type ManualClock, manualClock } from '../../../../test/support/manual-clock.ts';
import { loadConfig } from '../../src/config/load.ts';
import { type ResolvedModel, resolveModel } from '../../src/config/models.ts';
import { viewConfig } from '../../src/config/view.ts';
import { createProbedWindows } from '../../src/runner/probed-windows.ts';
import { filesOf, only, reader } from './compaction-scene.ts';
import { openScene, type Scene } from './harness.ts';
import { type LocalServer, startLocalServer } from './local-server.ts';

let server: LocalServer;
let scene: Scene | undefined;
beforeEach(async () => {
  server = await startLocalServer();
});
afterEach(async () => {
  await scene?.close();
  scene = undefined;
  await server.close();
});

interface Wish {
  readonly player?: Player;
  readonly clock?: Clock;
  readonly files?: Record<string, string>;
  readonly model?: Readonly<Record<string, unknown>>;
}

async function open(
  said: Readonly<Record<string, unknown>> | undefined,
  { model, ...wish }: Wish = {},
): Promise<Scene> {
  const models = model === undefined ? {} : { models: [model] };
  const providers = { local: { wire: 'chat', baseUrl: server.baseUrl, ...models } };
  const config = { providers, model: 'local/qwen3' };
  const gatewayModels = { qwen3: { window: 200_000, maxOutput: 64_000 } };
  scene = await openScene({ player: () => ({ text: 'Done.' }), wire: 'chat', ...wish, config, gatewayModels });
  server.serve(scene.gateway.origin, said);
  return scene;
}

function shownWindow(): number | null | undefined {
  const config = loadConfig({ env: { ZERD_CONFIG_DIR: scene?.folder } });
  return viewConfig(config, {}, scene?.windows.known).models.find(({ id }) => id === 'local/qwen3')?.contextWindow;
}

const ollama = (tokens: number) => ({ '/api/ps': { models: [{ name: 'qwen3', context_length: tokens }] } });

test.each<[string, Readonly<Record<string, unknown>>]>([
  ['Ollama', ollama(12_288)],
  ['llama.cpp', { '/props': { default_generation_settings: { n_ctx: 12_288 } } }],
  ['LM Studio', { '/api/v0/models': { data: [{ id: 'qwen3', loaded_context_length: 12_288 }] } }],
  ['vLLM', { '/v1/models': { data: [{ id: 'qwen3', max_model_len: 12_288 }] } }],
])('the window that %s gives is asked for once, bounds the request, and is shown', async (_server, said) => {
  const { say, gateway, runner, events } = await open(said);
  const { sessionId, end } = await say('Go');
  expect(await end).toMatchObject({ outcome: 'done' });
  const asked = server.asked.length;
  expect(gateway.requests[0]?.body.max_tokens).toBe(6_144);
  const { end: second } = await say('And on', { sessionId });
  await second;
  expect(server.asked).toHaveLength(asked);
  const requests = only(events(sessionId), 'request.started').map(({ requestId }) => requestId);
  expect(runner.contextBody(sessionId, requests[0]).body).toBe(gateway.requests[0]?.bodyText);
  expect(shownWindow()).toBe(12_288);
});

test('the context is kept below what the server really takes', async () => {
  const { say, events, gateway } = await open(ollama(16_000), { player: reader(14), files: filesOf(14, 400) });
  const { sessionId, end } = await say('Mend the counters.');
  expect(await end).toMatchObject({ outcome: 'done' });
  const relieved = [...only(events(sessionId), 'context.trimmed'), ...only(events(sessionId), 'context.compacted')];
  expect(relieved.map(({ reason }) => reason)).toContainEqual(expect.stringMatching(/above \d+ tokens/));
  for (const { tokens } of gateway.requests) expect(tokens.total).toBeLessThan(16_000);
});

test('a window that the user states is not asked for', async () => {
  const { say, gateway } = await open(ollama(12_288), { model: { id: 'qwen3', contextWindow: 50_000 } });
  await (await say('Go')).end;
  expect(server.asked).toEqual([]);
  expect(gateway.requests[0]?.body.max_tokens).toBe(8_192);
});

test('Ollama with the window that it takes unasked: the turn is refused with what to set, and asked again after', async () => {
  const { say, gateway, events, runner, env } = await open(ollama(4_096));
  const { sessionId } = await runner.createSession({ env, mode: 'full', trust: true });
  await expect(say('Go', { sessionId })).rejects.toMatchObject({
    code: 'window_too_small',
    message: expect.stringMatching(
      /^Ollama gives local\/qwen3 a window of 4096 tokens, and zerd's instructions and tools, which go with every request, take about \d+ of them: too little is left to work in\. Start Ollama with OLLAMA_CONTEXT_LENGTH=32768, .* and try again\. Your message was not taken: the session is as it was\.$/,
    ),
  });
  expect(events(sessionId).map(({ event }) => event.kind)).toEqual(['session.created']);
  expect(gateway.requests).toEqual([]);
  expect(shownWindow()).toBe(4_096);
  server.serve(gateway.origin, ollama(32_768));
  expect(await (await say('Go', { sessionId })).end).toMatchObject({ outcome: 'done' });
});

test('a server that keeps silent delays a turn by two seconds, once', async () => {
  const clock = manualClock();
  const { say } = await open(undefined, { clock });
  let started = false;
  const saying = say('Go').then((said) => {
    started = true;
    return said;
  });
  while (server.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
  clock.advance(1_999);
  await new Promise((resolve) => setImmediate(resolve));
  expect(started).toBe(false);
  clock.advance(1);
  const { sessionId, end } = await saying;
  expect(await end).toMatchObject({ outcome: 'done' });
  expect(await (await say('Again', { sessionId })).end).toMatchObject({ outcome: 'done' });
  expect(server.asked).toHaveLength(1);
});

const local = (baseUrl: string): ResolvedModel => ({
  ref: 'local/m',
  provider: 'local',
  wire: 'chat',
  endpoint: { wire: 'chat', baseUrl },
  modelId: 'm',
  contextWindow: null,
  maxOutput: 8_192,
  price: null,
  row: null,
  images: null,
});

function counting(clock: ManualClock, answers: readonly (number | undefined)[]) {
  let asked = 0;
  const windows = createProbedWindows(clock, async () => {
    const tokens = answers[asked++];
    return tokens === undefined ? undefined : { tokens, server: 'vLLM' };
  });
  return { windows, asked: () => asked };
}

test('what nobody said is asked again after a minute nearby, after an hour elsewhere', async () => {
  for (const [baseUrl, ms] of [
    ['http://localhost:1/v1', 60_000],
    ['http://192.168.1.4:1', 60_000],
    ['https://models.example/v1', 3_600_000],
  ] as const) {
    const clock = manualClock();
    const { windows, asked } = counting(clock, [undefined, 4_096]);
    expect(await windows.complete(local(baseUrl))).toEqual(local(baseUrl));
    clock.advance(ms - 1);
    expect((await windows.complete(local(baseUrl))).contextWindow).toBeNull();
    expect(asked()).toBe(1);
    clock.advance(1);
    expect(await windows.complete(local(baseUrl))).toMatchObject({ contextWindow: 4_096, maxOutput: 2_048 });
    clock.advance(100 * ms);
    expect((await windows.complete(local(baseUrl))).contextWindow).toBe(4_096);
    expect(asked()).toBe(2);
  }
});

test('turns that begin together ask once', async () => {
  const { windows, asked } = counting(manualClock(), [10_000]);
  const model = local('http://localhost:1/v1');
  const all = await Promise.all([windows.complete(model), windows.complete(model)]);
  expect(all.map(({ contextWindow }) => contextWindow)).toEqual([10_000, 10_000]);
  expect(asked()).toBe(1);
});

test("the vendors' own addresses and ChatGPT's backend are never asked", async () => {
  const { windows, asked } = counting(manualClock(), [1]);
  const config = loadConfig({ env: { ZERD_CONFIG_DIR: '/nonexistent' } });
  await windows.complete(resolveModel(config, 'openai/gpt-next', { OPENAI_API_KEY: 'k' }));
  await windows.complete({
    ...local('http://localhost:1'),
    endpoint: { wire: 'responses', baseUrl: 'http://localhost:1', codex: true },
  });
  expect(asked()).toBe(0);
});
