import { expect, test } from '@jest/globals';
import { costOf } from '@zerd/core/accounting/cost';
import { findModel } from '@zerd/core/model/catalog';
import type { JsonObject } from '@zerd/protocol/common/json';
import type { Usage } from '@zerd/protocol/common/usage';
import { usageOf as anthropicUsage, noCounts, readCounts } from '@zerd/providers/anthropic-messages/usage';
import { billedPicoOf, usageOf as chatUsage } from '@zerd/providers/openai-chat/usage';
import { usageOf as responsesUsage } from '@zerd/providers/openai-responses/usage';

const anthropic = (usage: JsonObject) => anthropicUsage(readCounts(noCounts, usage));
const perMillion = 1_000_000;

interface Row {
  readonly name: string;
  readonly model: readonly [provider: string, id: string];
  readonly usage: Usage;
  /** USD per million tokens times tokens: what the price list makes of it. */
  readonly pico: number;
}

/** Each provider counts in its own way; the right price for each kind of token, once (P088, P090, P092). */
const rows: readonly Row[] = [
  {
    name: 'Anthropic counts the uncached rest, reads and writes apart, and writes of an hour by their own price',
    model: ['anthropic', 'claude-opus-5-5'],
    usage: anthropic({
      input_tokens: 10,
      cache_read_input_tokens: 1_000,
      cache_creation_input_tokens: 300,
      cache_creation: { ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 100 },
      output_tokens: 50,
    }),
    pico:
      10 * 4 * perMillion +
      1_000 * 0.2 * perMillion +
      200 * 5 * perMillion +
      100 * 8 * perMillion +
      50 * 20 * perMillion,
  },
  {
    name: 'OpenAI counts reads and writes inside the input, and reasoning inside the output',
    model: ['openai', 'gpt-6.2-sol'],
    usage: responsesUsage({
      input_tokens: 1_310,
      input_tokens_details: { cached_tokens: 1_000, cache_write_tokens: 300 },
      output_tokens: 50,
      output_tokens_details: { reasoning_tokens: 40 },
    }),
    pico: 10 * 2 * perMillion + 1_000 * 0.1 * perMillion + 300 * 2.5 * perMillion + 50 * 10 * perMillion,
  },
  {
    name: 'OpenAI before GPT-5.6 writes for nothing',
    model: ['openai', 'gpt-5.5'],
    usage: responsesUsage({ input_tokens: 1_300, input_tokens_details: { cached_tokens: 1_024 }, output_tokens: 5 }),
    pico: 276 * 5 * perMillion + 1_024 * 0.5 * perMillion + 5 * 30 * perMillion,
  },
  {
    name: 'beyond 272,000 tokens all of the input costs double with OpenAI, cached or not',
    model: ['openai', 'gpt-5.4'],
    usage: responsesUsage({
      input_tokens: 272_001,
      input_tokens_details: { cached_tokens: 270_000 },
      output_tokens: 10,
    }),
    pico: 2_001 * 5 * perMillion + 270_000 * 0.5 * perMillion + 10 * 22.5 * perMillion,
  },
  {
    name: 'DeepSeek names hits and misses',
    model: ['deepseek', 'deepseek-v4-pro'],
    usage: chatUsage({
      prompt_tokens: 1_100,
      prompt_cache_hit_tokens: 1_000,
      prompt_cache_miss_tokens: 100,
      completion_tokens: 20,
    }),
    pico: 100 * 1.32 * perMillion + 1_000 * 0.044 * perMillion + 20 * 3.96 * perMillion,
  },
  {
    name: 'Kimi has what was cached at the top',
    model: ['moonshot', 'kimi-k3.1-pro'],
    usage: chatUsage({ prompt_tokens: 1_100, cached_tokens: 1_000, completion_tokens: 20 }),
    pico: 100 * 2 * perMillion + 1_000 * 0.2 * perMillion + 20 * 10 * perMillion,
  },
  {
    name: 'GLM and Gemini have it in the details',
    model: ['zai', 'glm-5.3'],
    usage: chatUsage({
      prompt_tokens: 1_100,
      prompt_tokens_details: { cached_tokens: 1_000 },
      completion_tokens: 20,
    }),
    pico: 100 * 1.4 * perMillion + 1_000 * 0.26 * perMillion + 20 * 4.4 * perMillion,
  },
  {
    name: 'OpenAI counts images inside the input, and they are paid once',
    model: ['openai', 'gpt-5.4'],
    usage: responsesUsage({
      input_tokens: 1_500,
      input_tokens_details: { cached_tokens: 1_000, text_tokens: 1_100, image_tokens: 400 },
      output_tokens: 10,
    }),
    pico: 500 * 2.5 * perMillion + 1_000 * 0.25 * perMillion + 10 * 15 * perMillion,
  },
  {
    name: 'images and sound are inside the prompt over the chat wire too',
    model: ['zai', 'glm-5.3'],
    usage: chatUsage({
      prompt_tokens: 1_500,
      prompt_tokens_details: { cached_tokens: 1_000, image_tokens: 300, audio_tokens: 100 },
      completion_tokens: 20,
    }),
    pico: 500 * 1.4 * perMillion + 1_000 * 0.26 * perMillion + 20 * 4.4 * perMillion,
  },
  {
    name: 'xAI counts reasoning beside the completion, and it is paid as output',
    model: ['xai', 'grok-4.7'],
    usage: chatUsage({
      prompt_tokens: 100,
      completion_tokens: 20,
      completion_tokens_details: { reasoning_tokens: 30 },
      total_tokens: 150,
    }),
    pico: 100 * 2 * perMillion + 50 * 6 * perMillion,
  },
];

test.each(rows)('complaints 2.1, P088, P090, P092: $name', ({ model, usage, pico }) => {
  const price = findModel(...model)?.price;
  expect(Math.abs((costOf(usage, price) ?? 0) - Math.round(pico))).toBeLessThanOrEqual(1);
});

test.each<[string, Usage]>([
  ['anthropic, for a committed capacity', anthropic({ input_tokens: 9, output_tokens: 5, service_tier: 'priority' })],
  [
    'anthropic, in the fast mode',
    anthropic({ input_tokens: 9, output_tokens: 5, service_tier: 'standard', speed: 'fast' }),
  ],
  ['responses, ahead of others', responsesUsage({ input_tokens: 9, output_tokens: 5 }, 'priority')],
  ['chat, behind others', chatUsage({ prompt_tokens: 9, completion_tokens: 5 }, undefined, 'flex')],
])("I11: what was served over %s has no list's price, but the user's own", (_how, usage) => {
  const price = findModel('anthropic', 'claude-opus-5-5')?.price;
  expect(usage.tier).toMatch(/^(?:priority|fast|flex)$/);
  expect(costOf(usage, price)).toBe(null);
  expect(costOf(usage, price && { ...price, own: true })).toBe(9 * 4 * perMillion + 5 * 20 * perMillion);
});

test('what was served in the usual way, or in one that nobody knows, has the price of the list', () => {
  const price = findModel('openai', 'gpt-6.2-sol')?.price;
  for (const tier of [undefined, 'auto', 'default', 'standard', 'on_demand', 'brand_new'])
    expect(costOf(responsesUsage({ input_tokens: 9, output_tokens: 5 }, tier), price)).toBe(
      9 * 2 * perMillion + 5 * 10 * perMillion,
    );
});

test('complaints 2.1: OpenRouter says what it billed, whatever it reports of the cache; a key of the user is billed behind it too', () => {
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 1,
    cost: 0.0123,
    prompt_tokens_details: { cache_write_tokens: 0 },
  };
  expect(billedPicoOf(usage)).toBe(12_300_000_000);
  expect(billedPicoOf({ ...usage, is_byok: true, cost_details: { upstream_inference_cost: 0.001 } })).toBe(
    13_300_000_000,
  );
  expect(costOf(chatUsage(usage), findModel('openrouter', 'qwen/qwen4-max')?.price, billedPicoOf(usage))).toBe(
    12_300_000_000,
  );
});
