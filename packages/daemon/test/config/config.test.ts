import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { defaultCaps } from '@zerd/core/context/admit/caps';
import { usualMcpDeadlines } from '@zerd/core/mcp/settings';
import { isZerdError } from '@zerd/protocol/common/errors';
import { defaultDeadlines } from '@zerd/providers/provider';
import { type Config, loadConfig } from '../../src/config/load.ts';
import { describeEndpoint, describeModels, providerKeyNames, resolveModel } from '../../src/config/models.ts';
import { viewConfig } from '../../src/config/view.ts';

let home: string;
let file: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'zerd-config-'));
  mkdirSync(join(home, 'zerd'));
  file = join(home, 'zerd', 'config.json');
});
afterEach(() => rmSync(home, { recursive: true }));

function load(text?: string): Config {
  if (text !== undefined) writeFileSync(file, text, { mode: 0o600 });
  return loadConfig({ env: { XDG_CONFIG_HOME: home, HOME: '/nowhere' } });
}

function loadJson(value: unknown): Config {
  return load(JSON.stringify(value));
}

/** The code and message of what is thrown. */
function refused(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (isZerdError(error)) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const custom = {
  providers: {
    lab: {
      wire: 'anthropic',
      baseUrl: 'http://127.0.0.1:9/lab',
      apiKeyEnv: 'LAB_KEY',
      models: [
        {
          id: 'm/1',
          contextWindow: 100_000,
          maxOutput: 4000,
          price: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1.25 },
        },
        { id: 'm2' },
      ],
    },
    local: { wire: 'chat', baseUrl: 'http://localhost:11434/v1' },
    kept: {
      wire: 'responses',
      baseUrl: 'https://kept.example/v1',
      apiKey: 'sk-in-the-file',
      promptCacheKey: true,
      codex: true,
      leakedCalls: false,
    },
  },
  model: 'lab/m/1',
};

/** What nobody has said. */
const usual = {
  deadlines: defaultDeadlines,
  caps: defaultCaps,
  rules: {},
  skills: {},
  window: 6,
  relief: 'due',
  keepWarm: false,
  compactionMs: 180_000,
  toolMs: 900_000,
  searchIndex: 'auto',
  commands: [],
  jobs: { afterMs: 15_000, wake: false },
  warnAbovePico: 5e11,
  budgets: {},
  mcp: { servers: [], deadlines: usualMcpDeadlines },
  subagents: { atOnce: 8, depth: 1 },
  subagentLimits: { totalMs: 1_800_000, silenceMs: 180_000 },
  warnings: [],
  keyNames: [],
};

test('a missing file is fine: nothing is set and the deadlines are the usual ones', () => {
  expect(load()).toEqual({ ...usual, file, changedOn: '1970-01-01', providers: {} });
});

test('the whole file is read, from ZERD_CONFIG_DIR before XDG_CONFIG_HOME before HOME', () => {
  const config = loadJson({
    ...custom,
    deadlines: { firstEventMs: 5, compactionMs: 60_000, toolMs: 30_000 },
    budgets: { day: { usd: 2.5 }, subagents: { tokens: 9 } },
    context: { summarizer: 'lab/small', relief: 'never' },
  });
  expect(config).toEqual({
    ...usual,
    budgets: { day: { pico: 2_500_000_000_000 }, subagents: { tokens: 9 } },
    file,
    changedOn: new Date().toISOString().slice(0, 10),
    ...custom,
    deadlines: { ...defaultDeadlines, firstEventMs: 5 },
    rules: { files: [] },
    skills: { exclude: [] },
    relief: 'never',
    summarizer: 'lab/small',
    compactionMs: 60_000,
    toolMs: 30_000,
    keyNames: ['LAB_KEY'],
  });
  expect(loadConfig({ env: { ZERD_CONFIG_DIR: join(home, 'zerd'), XDG_CONFIG_HOME: '/nowhere' } })).toEqual(config);
  expect(loadConfig({ env: { HOME: home } }).file).toBe(join(home, '.config', 'zerd', 'config.json'));
  expect(Object.isFrozen(config) && Object.isFrozen(config.providers.lab?.models?.[0])).toBe(true);
});

test.each<[string, string, string]>([
  ['an empty file', '', 'is not JSON at line 1, column 1'],
  ['a missing comma', '{\n  "model": "a/b"\n  "providers": {}\n}', 'is not JSON at line 3, column 3'],
  ['a file that ends early', '{"providers": {', 'is not JSON at line 1, column 16'],
  ['a list', '[]', 'does not fit: the whole: Invalid input: expected object, received array'],
  [
    'a wire nobody speaks',
    '{"providers":{"a":{"wire":"soap","baseUrl":"http://x"}}}',
    'providers.a.wire: Invalid option',
  ],
  [
    'a key of another type',
    '{"providers":{"a":{"wire":"chat","baseUrl":"http://x","apiKey":7}}}',
    'providers.a.apiKey',
  ],
  [
    'half a price',
    '{"providers":{"a":{"wire":"chat","baseUrl":"http://x","models":[{"id":"m","price":{"input":1}}]}}}',
    'providers.a.models.0.price.output',
  ],
  [
    'a password in an address',
    '{"providers":{"a":{"wire":"chat","baseUrl":"https://u:hunter2secret@x"}}}',
    'providers.a.baseUrl: expected an http or https address without user or password',
  ],
  ['a deadline of nothing', '{"deadlines":{"connectMs":0}}', 'deadlines.connectMs'],
])(
  '%s makes the configuration broken, names file and place, quotes no value, and is never written',
  (_, text, says) => {
    const config = load(text);
    expect(config.broken).toContain(says);
    expect(config.broken).toContain(file);
    expect(config.broken).not.toContain('hunter2secret');
    expect(config.providers).toEqual({});
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(refused(() => resolveModel(config, 'anthropic/x', { ANTHROPIC_API_KEY: 'k' }))).toBe(
      `config_broken: ${config.broken}`,
    );
    expect(viewConfig(config, {})).toEqual({ file, model: null, models: [], warnings: [config.broken] });
  },
);

test('F-49: a link that leads nowhere, and a file in the place of the folder, are broken settings, not none', () => {
  symlinkSync('/nowhere/config.json', file);
  expect(load().broken).toContain(`${file} is a link that leads nowhere. It was left as it is`);
  rmSync(join(home, 'zerd'), { recursive: true });
  expect(load().broken).toBeUndefined();
  writeFileSync(join(home, 'zerd'), '');
  expect(load().broken).toContain('cannot be there: a file stands in the place of its folder');
});

test('F-49: a file that cannot be read for a moment is broken, not empty', () => {
  mkdirSync(file);
  expect(load().broken).toContain('is not a regular file');
});

test('a broken file still tells which variables hold keys, so that tools never see them', () => {
  const config = load('{"providers": {"a": {"apiKeyEnv": "SECRET_ONE"}, "b": {"apiKeyEnv" : "SECRET_TWO", }}');
  expect(config.broken).toBeDefined();
  expect(providerKeyNames(config)).toEqual(['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'SECRET_ONE', 'SECRET_TWO']);
});

test('a file with a key that others may read warns', () => {
  load(JSON.stringify(custom));
  expect(load().warnings).toEqual([]);
  chmodSync(file, 0o644);
  expect(load().warnings).toEqual([`${file} holds a key and other users may read it: chmod 600 it.`]);
});

test('a price of the catalogue holds from its day on: one that is announced is not paid yet', () => {
  const read = (today: string) =>
    resolveModel({ ...load(), today }, 'anthropic/claude-sonnet-5-5', { ANTHROPIC_API_KEY: 'k' }).price?.cacheRead;
  expect([read('2026-10-06'), read('2026-10-07'), read('2027-01-01')]).toEqual([200_000, 100_000, 100_000]);
});

test('a custom model resolves with its endpoint, its limits and its price', () => {
  const config = loadJson(custom);
  expect(resolveModel(config, undefined, { LAB_KEY: 'sk-lab' })).toEqual({
    ref: 'lab/m/1',
    provider: 'lab',
    wire: 'anthropic',
    endpoint: { wire: 'anthropic', baseUrl: 'http://127.0.0.1:9/lab', apiKey: 'sk-lab' },
    modelId: 'm/1',
    contextWindow: 100_000,
    maxOutput: 4000,
    price: {
      input: 1_000_000,
      output: 2_000_000,
      cacheRead: 100_000,
      cacheWrite: 1_250_000,
      source: file,
      asOf: config.changedOn,
      own: true,
    },
    images: null,
    row: null,
  });
  expect(describeEndpoint(config, 'lab/m2')).toEqual({
    endpoint: { wire: 'anthropic', baseUrl: 'http://127.0.0.1:9/lab' },
    settings: { modelId: 'm2', maxOutput: 8192 },
  });
  expect(resolveModel(config, 'local/any:latest', {})).toMatchObject({
    endpoint: { wire: 'chat', baseUrl: 'http://localhost:11434/v1' },
    contextWindow: null,
    price: null,
  });
  expect(resolveModel(config, 'kept/x', {}).endpoint).toEqual({
    wire: 'responses',
    baseUrl: 'https://kept.example/v1',
    promptCacheKey: true,
    leakedCalls: false,
    codex: true,
    apiKey: 'sk-in-the-file',
  });
});

test('a request asks for no longer an answer than a window holds beside a prompt', () => {
  const asked = (contextWindow: number, maxOutput?: number) => {
    const models = [{ id: 'm', contextWindow, ...(maxOutput === undefined ? {} : { maxOutput }) }];
    const config = loadJson({ providers: { lab: { wire: 'chat', baseUrl: 'http://127.0.0.1:9/v1', models } } });
    const { maxOutput: resolved } = resolveModel(config, 'lab/m', {});
    expect(describeEndpoint(config, 'lab/m').settings.maxOutput).toBe(resolved);
    return resolved;
  };
  expect([asked(8_192, 8_192), asked(8_192), asked(100_000, 64_000), asked(32_768)]).toEqual([
    4_096, 4_096, 20_000, 8_192,
  ]);
});

test('S-23, S-24: no address comes from an environment, and a key goes to no address that the user file does not name', () => {
  const env = {
    ANTHROPIC_API_KEY: 'sk-a',
    OPENAI_API_KEY: 'sk-o',
    ANTHROPIC_BASE_URL: 'http://sink',
    OPENAI_BASE_URL: 'http://sink',
    ZERD_CONFIG_DIR: '/tmp/evil',
  };
  const config = load();
  expect(resolveModel(config, 'anthropic/claude-opus-5-5', env).endpoint).toEqual({
    wire: 'anthropic',
    apiKey: 'sk-a',
    diagnosis: 'anthropic',
  });
  expect(resolveModel(config, 'openai/gpt-5.5', env).endpoint).toEqual({ wire: 'responses', apiKey: 'sk-o' });
});

test('without a wish: the configured model, else the usual one of the provider whose key is at hand', () => {
  const config = load();
  expect(resolveModel(config, undefined, { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k' }).ref).toBe(
    'anthropic/claude-sonnet-5-5',
  );
  expect(resolveModel(config, undefined, { OPENAI_API_KEY: 'k' }).ref).toBe('openai/gpt-5.5');
  expect(refused(() => resolveModel(config, undefined, { OPENAI_API_KEY: ' ' }))).toBe(
    `key_missing: No model is chosen and none can be assumed: set ANTHROPIC_API_KEY or OPENAI_API_KEY, or run \`zerd login\`, or describe your own provider in ${file}.`,
  );
});

test.each<[string, Record<string, string>, string]>([
  [
    'nobody/x',
    {},
    'unknown_model: No provider offers "nobody/x"; nothing was changed. Name a model as provider/model. Known: lab/m/1, lab/m2, anthropic/claude-fable-5-2,',
  ],
  ['gpt-5.5', {}, 'unknown_model: No provider offers "gpt-5.5"'],
  ['lab/other', { LAB_KEY: 'k' }, 'unknown_model: No provider offers "lab/other"'],
  ['toString/x', {}, 'unknown_model'],
  ['', {}, 'unknown_model'],
  ['lab/m2', {}, 'key_missing: lab/m2 needs a key and LAB_KEY is not set.'],
  ['lab/m2', { LAB_KEY: 'a\nb' }, 'key_missing: The key of lab/m2 in LAB_KEY holds a line break'],
  [
    'anthropic/claude-opus-5-5',
    { LAB_KEY: 'k' },
    'key_missing: anthropic/claude-opus-5-5 needs a key and ANTHROPIC_API_KEY is not set.',
  ],
])('the reference %j is refused with what to do', (ref, env, says) => {
  expect(refused(() => resolveModel(loadJson(custom), ref, env))).toContain(says);
});

test('built-in providers take any model; what is not in the catalogue has no price and no window', () => {
  expect(resolveModel(load(), 'anthropic/claude-next', { ANTHROPIC_API_KEY: 'k' })).toMatchObject({
    contextWindow: null,
    maxOutput: 32_000,
    price: null,
  });
});

test('config/read shows models, which have their key, and no secret', () => {
  const shown = viewConfig(loadJson(custom), { OPENAI_API_KEY: 'sk-o' });
  expect(shown.model).toBe('lab/m/1');
  expect(shown.models.slice(0, 2)).toEqual([
    { id: 'lab/m/1', wire: 'anthropic', contextWindow: 100_000, priced: true, cacheMs: 300_000, ready: false },
    { id: 'lab/m2', wire: 'anthropic', contextWindow: null, priced: false, cacheMs: 300_000, ready: false },
  ]);
  const ready = shown.models.filter((model) => model.ready).map((model) => model.id);
  expect(ready).toEqual(expect.arrayContaining(['openai/gpt-5.5', 'openai/gpt-6.2-sol']));
  expect(ready.filter((id) => !id.startsWith('openai/'))).toEqual([]);
  expect(JSON.stringify(shown)).not.toMatch(/sk-/);
});

test('a provider of the user replaces the built-in one of its name', () => {
  const config = loadJson({
    providers: { anthropic: { wire: 'anthropic', baseUrl: 'http://127.0.0.1:9', apiKeyEnv: 'MINE' } },
  });
  expect(describeModels(config, {}).filter((model) => model.id.startsWith('anthropic/'))).toEqual([]);
  expect(resolveModel(config, 'anthropic/any', { MINE: 'k', ANTHROPIC_API_KEY: 'other' }).endpoint).toEqual({
    wire: 'anthropic',
    baseUrl: 'http://127.0.0.1:9',
    apiKey: 'k',
  });
});

test('context.caps stand over the default ones, and a cap that is none is refused', () => {
  expect(loadJson({}).caps).toEqual(defaultCaps);
  expect(loadJson({ context: { caps: { shell: 9_000, line: 200 } } }).caps).toEqual({
    ...defaultCaps,
    shell: 9_000,
    line: 200,
  });
  expect(loadJson({ context: { caps: { read: 10 } } }).broken).toMatch(/context\.caps\.read/);
  expect(loadJson({ context: { caps: { reads: 9_000 } } }).warnings.join()).toMatch(
    /context\.caps\.reads is not known/,
  );
});

test('the user says of a model what its prices are by lifetime and by length, and how its endpoint caches', () => {
  const price = {
    input: 1,
    output: 5,
    cacheRead: 0.1,
    cacheWrite: 1.25,
    cacheWrite1h: 2,
    above: { tokens: 100_000, input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 },
  };
  const facts = { minPrefix: 4096, cacheMs: 60_000, reportsCache: false, diagnosis: 'anthropic' };
  const model = { id: 'm', price, ...facts };
  const config = loadJson({
    cost: { warnAbove: 0.05 },
    providers: { own: { wire: 'anthropic', baseUrl: 'http://127.0.0.1:9', models: [model] } },
  });
  expect(config.warnAbovePico).toBe(5e10);
  expect(resolveModel(config, 'own/m', {})).toMatchObject({
    price: { cacheWrite1h: 2_000_000, above: { tokens: 100_000, price: { cacheRead: 200_000 } } },
    row: { ...facts, bindsReasoning: false },
    endpoint: { diagnosis: 'anthropic' },
  });
});

test("a model at a known provider's address has its catalogue row; the user's own price wins, and a local server none", () => {
  const own = { id: 'deepseek-flash', price: { input: 9, output: 9, cacheRead: 9, cacheWrite: 9 } };
  const config = loadJson({
    providers: {
      deep: { wire: 'chat', baseUrl: 'https://api.deepseek.com' },
      mine: { wire: 'chat', baseUrl: 'https://api.deepseek.com', models: [own] },
      router: { wire: 'responses', baseUrl: 'https://openrouter.ai/api/v1' },
      ollama: { wire: 'chat', baseUrl: 'http://localhost:11434/v1' },
    },
  });
  expect(resolveModel(config, 'deep/deepseek-flash', {})).toMatchObject({
    contextWindow: 1_000_000,
    price: { input: 300_000, cacheRead: 6_000 },
    row: { cacheMs: 3_600_000, reportsCache: true },
  });
  expect(resolveModel(config, 'mine/deepseek-flash', {}).price?.input).toBe(9_000_000);
  expect(resolveModel(config, 'router/qwen/qwen4-max', {}).price?.input).toBe(1_425_000);
  expect(resolveModel(config, 'ollama/any', {})).toMatchObject({ price: null, row: { reportsCache: false } });
});
