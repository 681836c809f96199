import { expect, test } from '@jest/globals';
import { loadConfig } from '../../src/config/load.ts';
import { resolveModel } from '../../src/config/models.ts';
import { viewConfig } from '../../src/config/view.ts';

const config = loadConfig({ env: { ZERD_CONFIG_DIR: '/nowhere' } });

test.each<[string, Readonly<Record<string, string>>, string | null]>([
  ['nothing is at hand', {}, null],
  ['a key of Anthropic is', { ANTHROPIC_API_KEY: 'k' }, 'anthropic/claude-sonnet-5-5'],
  ['a key of OpenAI is', { OPENAI_API_KEY: 'k' }, 'openai/gpt-5.5'],
])(
  'without a configuration, where %s, config/read shows the model that a session would begin with',
  (_, env, model) => {
    expect(viewConfig(config, env).model).toBe(model);
    if (model !== null) expect(resolveModel(config, undefined, env).ref).toBe(model);
  },
);

test('where a provider of its own is described, a key of another still begins a session with that', () => {
  const providers = { lab: { wire: 'chat', baseUrl: 'http://127.0.0.1:1/v1' } } as const;
  const own = { ...config, providers } as typeof config;
  expect(viewConfig(own, { OPENAI_API_KEY: 'k' }).model).toBe('openai/gpt-5.5');
  expect(viewConfig({ ...own, model: 'lab/m' }, { OPENAI_API_KEY: 'k' }).model).toBe('lab/m');
  expect(viewConfig({ ...own, broken: 'It is no JSON.' }, { OPENAI_API_KEY: 'k' }).model).toBeNull();
});
