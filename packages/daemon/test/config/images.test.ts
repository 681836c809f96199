import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { loadConfig } from '../../src/config/load.ts';
import { describeEndpoint, describeKnown } from '../../src/config/models.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'zerd-config-'));
});
afterEach(() => rmSync(home, { recursive: true }));

/** Whether the model is sent images, and the size of a patch by which they are counted. */
function check(model: object, ref: string, baseUrl: string, expected: readonly unknown[]) {
  const providers = {
    own: {
      wire: 'chat',
      baseUrl,
      models: [
        { id: 'm', ...model },
        { id: 'gpt-5.4', ...model },
      ],
    },
  };
  writeFileSync(join(home, 'config.json'), JSON.stringify({ providers }), { mode: 0o600 });
  const config = loadConfig({ env: { ZERD_CONFIG_DIR: home } });
  const rule = describeKnown(config, ref)?.images;
  const side = rule?.kind === 'patches' ? rule.side : rule;
  expect([describeEndpoint(config, ref).settings.seesImages, side]).toEqual(expected);
}

test('whether a model sees is said by the user, else by what is known of it, else it does not', () => {
  const local = 'http://127.0.0.1:9/v1';
  const openai = 'https://api.openai.com/v1';
  check({}, 'own/m', local, [undefined, null]);
  check({ images: true }, 'own/m', local, [true, 28]);
  check({}, 'own/gpt-5.4', local, [undefined, null]);
  check({}, 'own/gpt-5.4', openai, [true, 32]);
  check({ images: true }, 'own/gpt-5.4', openai, [true, 32]);
  check({ images: false }, 'own/gpt-5.4', openai, [undefined, null]);
  check({}, 'anthropic/claude-sonnet-5-5', local, [true, 28]);
  check({}, 'chatgpt/gpt-5.5', local, [true, 32]);
  check({}, 'openai/davinci', local, [undefined, null]);
});
