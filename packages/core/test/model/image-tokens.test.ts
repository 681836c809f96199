import { expect, test } from '@jest/globals';
import { catalogRows } from '@zerd/core/model/catalog';
import { imageRuleOf, usualImageRule } from '@zerd/core/model/image-facts';
import { imageTokens } from '@zerd/core/model/image-tokens';
import fc from 'fast-check';

function check(model: string, size: readonly [number, number], tokens: number) {
  const [provider = '', ...id] = model.split('/');
  const rule = imageRuleOf(provider, id.join('/'));
  expect([model, size, rule && imageTokens(rule, { width: size[0], height: size[1] })]).toEqual([model, size, tokens]);
}

test('an image counts as the provider documents it, model by model', () => {
  // Anthropic: patches of 28 pixels; the examples of its page on vision.
  check('anthropic/claude-sonnet-4-6', [1, 1], 1);
  check('anthropic/claude-sonnet-4-6', [800, 600], 29 * 22);
  check('anthropic/claude-sonnet-4-6', [1920, 1080], 52 * 30);
  check('anthropic/claude-sonnet-4-6', [1075, 1520], 33 * 47);
  check('anthropic/claude-haiku-4-5', [8000, 8000], 39 * 39);
  check('anthropic/claude-sonnet-5', [1280, 1600], 46 * 58);
  check('anthropic/claude-opus-4-7', [1920, 1080], 69 * 39);
  check('anthropic/claude-sonnet-5-5', [8000, 8000], 69 * 69);
  // OpenAI: patches of 32 pixels; the examples of its page on images and vision.
  check('openai/gpt-5.3-codex', [1024, 1024], 1024);
  check('openai/gpt-5.3-codex', [1800, 2400], 1452);
  check('openai/gpt-5.4-mini', [1024, 1024], Math.ceil(1024 * 1.62));
  check('openai/gpt-5.4-nano', [1024, 1024], Math.ceil(1024 * 2.46));
  check('openai/gpt-5.4', [1600, 1600], 2500);
  check('openai/gpt-5.5', [3840, 2160], 120 * 68);
  check('openai/gpt-6.2-sol', [3840, 2160], 120 * 68);
  check('openai/gpt-6.2-sol', [8000, 1], 250);
  // Its older models: tiles of 512 pixels.
  check('openai/gpt-4o', [1024, 1024], 765);
  check('openai/gpt-4o', [2048, 4096], 1105);
  check('openai/gpt-5', [1024, 1024], 70 + 4 * 140);
  // Gemini.
  check('google/gemini-2.5-pro', [384, 384], 258);
  check('google/gemini-2.5-pro', [1024, 768], 2 * 258);
  check('google/gemini-3.5-flash', [1024, 768], 1120);
});

test('which models of the catalogue see no image is said one by one', () => {
  const blind = catalogRows().flatMap(({ provider, id }) =>
    imageRuleOf(provider, id) === null ? [`${provider}/${id}`] : [],
  );
  expect(blind.sort()).toEqual([
    'deepseek/deepseek-v4-pro',
    'openrouter/qwen/qwen3.7-max',
    'zai/glm-4.7',
    'zai/glm-5-turbo',
    'zai/glm-5.2',
    'zai/glm-5.3',
  ]);
});

test('what nobody described is not known to see', () => {
  expect(
    ['sim/sim', 'anthropic/other', 'openai/davinci', 'toString/x'].map((ref) => {
      const [provider = '', id = ''] = ref.split('/');
      return imageRuleOf(provider, id);
    }),
  ).toEqual([null, null, null, null]);
});

test('whatever its size, a limited image stays within the limit of its rule', () => {
  const side = fc.integer({ min: 1, max: 8000 });
  const rules = ['anthropic/claude-haiku-4-5', 'anthropic/claude-sonnet-5-5', 'openai/gpt-5.4', 'openai/gpt-5.5'];
  fc.assert(
    fc.property(side, side, fc.constantFrom(...rules), (width, height, ref) => {
      const [provider = '', id = ''] = ref.split('/');
      const rule = imageRuleOf(provider, id) ?? usualImageRule;
      const tokens = imageTokens(rule, { width, height });
      expect(tokens).toBeGreaterThanOrEqual(1);
      if (rule.kind === 'patches') expect(tokens).toBeLessThanOrEqual(rule.mostPatches ?? tokens);
    }),
  );
});
