import { expect, test } from '@jest/globals';
import type { Answer } from '@zerd/core/model/answer';
import type { AssistantBlock } from '@zerd/protocol/common/event';
import type { JsonObject, JsonValue } from '@zerd/protocol/common/json';
import { chatDecoder } from '../../src/openai-chat/decode.ts';
import { encode } from '../../src/openai-chat/encode.ts';
import { readingLeakedCalls } from '../../src/openai-chat/leaked-calls.ts';
import { chatTraits } from '../../src/openai-chat/traits.ts';
import type { Endpoint } from '../../src/provider.ts';
import { decodeAll } from '../support/collect.ts';
import { fullPrompt, id, settings } from '../support/prompts.ts';

const local = 'http://127.0.0.1:8080/v1';

function at(baseUrl: string | undefined, more: Partial<Endpoint> = {}): Endpoint {
  return { wire: 'chat', ...(baseUrl === undefined ? {} : { baseUrl }), ...more };
}

function chunk(delta: JsonValue, finish: string | null = null, more: JsonObject = {}): JsonValue {
  return { choices: [{ index: 0, delta, finish_reason: finish }], ...more };
}

function answerOf(chunks: readonly JsonValue[], decoder = chatDecoder): Answer {
  const last = decodeAll(decoder, chunks).at(-1);
  if (last?.kind !== 'finished') throw new Error(`not finished: ${JSON.stringify(last)}`);
  return last.answer;
}

function call(n: number): AssistantBlock {
  return { kind: 'toolCall', callId: id(`call_${n}`), name: 'read', inputJson: '{}' };
}

function bodyAt(endpoint: Endpoint, modelId: string, blocks: readonly AssistantBlock[] = []): JsonObject {
  const prompt = { ...fullPrompt, system: '', messages: [{ role: 'assistant', blocks } as const] };
  return encode(prompt, { ...settings, modelId }, chatTraits(endpoint, modelId));
}

test.each<[string, string | undefined, string, boolean]>([
  ['DeepSeek', 'https://api.deepseek.com', 'deepseek-flash', true],
  ['DeepSeek elsewhere', 'https://openrouter.ai/api/v1', 'deepseek/deepseek-v4-pro', true],
  ['Kimi', 'https://api.moonshot.ai/v1', 'kimi-k3', true],
  ['Kimi for coding', 'https://api.kimi.com/coding/v1', 'k3.1-pro', true],
  ['an older model of Moonshot', 'https://api.moonshot.ai/v1', 'moonshot-v1-8k', false],
  ['OpenAI', undefined, 'gpt-5.5', false],
  ['a local server', local, 'qwen3', false],
])('%s: an answer without reasoning goes back with an empty field or without one', (_, baseUrl, modelId, empty) => {
  expect(bodyAt(at(baseUrl), modelId, [{ kind: 'text', text: 'ok' }]).messages).toEqual([
    { role: 'assistant', content: 'ok', ...(empty ? { reasoning_content: '' } : {}) },
  ]);
});

test.each<[string, string, string, JsonObject]>([
  ['z.ai', 'https://api.z.ai/api/coding/paas/v4', 'glm-5.3', { thinking: { type: 'enabled', clear_thinking: false } }],
  ['Qwen, local', local, 'Qwen3.6-27B', { chat_template_kwargs: { preserve_thinking: true } }],
  [
    'Kimi K3, local',
    'http://localhost:8000/v1',
    'moonshotai/Kimi-K3',
    { chat_template_kwargs: { preserve_thinking: true } },
  ],
  ['Qwen 3, whose template has no such switch', local, 'qwen3:8b', {}],
  ['Qwen behind a strict API', 'https://api.groq.com/openai/v1', 'qwen/qwen3.6-32b', {}],
])('%s is asked to keep earlier reasoning where it can be', (_, baseUrl, modelId, expected) => {
  const { thinking, chat_template_kwargs } = bodyAt(at(baseUrl), modelId);
  expect({ ...(thinking ? { thinking } : {}), ...(chat_template_kwargs ? { chat_template_kwargs } : {}) }).toEqual(
    expected,
  );
});

test('the same reasoning under two names goes back once, whichever name comes first', () => {
  const { content } = answerOf([
    chunk({ reasoning: 'Look ', reasoning_content: 'Look ' }),
    chunk({ reasoning_content: 'first.', reasoning: 'first.' }),
    chunk({ reasoning_content: '', reasoning: null, content: 'so' }, 'stop'),
  ]);
  expect(bodyAt(at(local), 'qwen3', content).messages).toEqual([
    { role: 'assistant', content: 'so', reasoning_content: 'Look first.' },
  ]);
});

const google = 'https://generativelanguage.googleapis.com/v1beta/openai';
const skip = { google: { thought_signature: 'skip_thought_signature_validator' } };
const signature = { google: { thought_signature: 'c2ln' } };

test.each<[string, string, string, readonly AssistantBlock[], readonly (JsonObject | undefined)[]]>([
  ['Gemini 3, written by another model', google, 'gemini-3.1-pro', [call(0), call(1)], [skip, undefined]],
  [
    'Gemini 3, written by itself',
    google,
    'models/gemini-3-flash',
    [
      call(0),
      call(1),
      { kind: 'opaque', wire: 'chat', json: JSON.stringify({ field: 'extra_content', call: 0, value: signature }) },
    ],
    [signature, undefined],
  ],
  ['Gemini 2.5', google, 'gemini-2.5-pro', [call(0)], [undefined]],
  ['another server of that name', 'https://evilgoogleapis.com/v1', 'gemini-3.1-pro', [call(0)], [undefined]],
])('signatures on the calls of an answer for %s', (_, baseUrl, modelId, blocks, expected) => {
  const [message = {}] = bodyAt(at(baseUrl), modelId, blocks).messages as readonly JsonObject[];
  expect((message.tool_calls as readonly JsonObject[]).map((one) => one.extra_content)).toEqual(expected);
});

test.each<[string, readonly JsonValue[], JsonObject]>([
  [
    'llama.cpp',
    [
      {
        choices: [],
        usage: {
          prompt_tokens: 100,
          completion_tokens: 5,
          total_tokens: 105,
          prompt_tokens_details: { cached_tokens: 90 },
        },
        timings: { cache_n: 90, prompt_n: 10, predicted_n: 5 },
      },
    ],
    { uncached: 10, cacheRead: 90, cacheWrite: 0, output: 5 },
  ],
  [
    'llama.cpp before it told its cache in the usage',
    [
      {
        choices: [],
        usage: { prompt_tokens: 100, completion_tokens: 5 },
        timings: { cache_n: 90, prompt_n: 10, predicted_n: 5 },
      },
    ],
    { uncached: 10, cacheRead: 90, cacheWrite: 0, output: 5 },
  ],
  [
    'llama.cpp without any usage',
    [{ choices: [], timings: { cache_n: 90, prompt_n: 10, predicted_n: 5, prompt_ms: 7.5 } }],
    { uncached: 10, cacheRead: 90, cacheWrite: 0, output: 5 },
  ],
  [
    'vLLM, its cache not told',
    [
      {
        choices: [],
        usage: { prompt_tokens: 100, total_tokens: 105, completion_tokens: 5, prompt_tokens_details: null },
      },
    ],
    { uncached: 100, cacheRead: 0, cacheWrite: 0, output: 5 },
  ],
  [
    'Ollama',
    [
      {
        choices: [],
        usage: {
          prompt_tokens: 100,
          completion_tokens: 5,
          total_tokens: 105,
          prompt_tokens_details: { cached_tokens: 0 },
        },
      },
    ],
    { uncached: 100, cacheRead: 0, cacheWrite: 0, output: 5 },
  ],
  [
    'Kimi, in the choice',
    [
      {
        choices: [
          {
            index: 0,
            delta: {},
            finish_reason: 'stop',
            usage: { prompt_tokens: 100, completion_tokens: 5, cached_tokens: 64 },
          },
        ],
      },
    ],
    { uncached: 36, cacheRead: 64, cacheWrite: 0, output: 5 },
  ],
  [
    'DeepSeek',
    [
      {
        choices: [],
        usage: { prompt_tokens: 100, completion_tokens: 5, prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 },
      },
    ],
    { uncached: 36, cacheRead: 64, cacheWrite: 0, output: 5 },
  ],
])('usage of %s has the one meaning', (_, last, expected) => {
  expect(answerOf([chunk({ content: 'a' }, 'stop'), ...last]).usage).toEqual({ ...expected, reported: true });
});

const body = encode(fullPrompt, settings, chatTraits(at(local), 'qwen3'));
const leaky = readingLeakedCalls(chatDecoder, body);
const markup = '<tool_call>\n{"name": "read", "arguments": {"path": "a.ts"}}\n</tool_call>';
const text = (said: string): readonly JsonValue[] => [
  chunk({ reasoning_content: 'Hm.' }),
  ...[...said].map((content) => chunk({ content })),
];
const hm: AssistantBlock = { kind: 'opaque', wire: 'chat', json: '{"field":"reasoning_content","text":"Hm."}' };

test('a call that arrives as text at the end of an answer is a call; the words before it stay', () => {
  const read = answerOf([...text(`I look.\n${markup}\n${markup}`), chunk({}, 'stop')], leaky);
  expect(read.content).toEqual([
    hm,
    { kind: 'text', text: 'I look.' },
    { kind: 'toolCall', callId: 'call_0', name: 'read', inputJson: '{"path":"a.ts"}' },
    { kind: 'toolCall', callId: 'call_1', name: 'read', inputJson: '{"path":"a.ts"}' },
  ]);
  expect(read.stopReason).toBe('toolUse');
  expect(answerOf([...text(markup), chunk({}, 'stop')], leaky).content.map((block) => block.kind)).toEqual([
    'opaque',
    'toolCall',
  ]);
});

const real = { tool_calls: [{ index: 0, id: 'a', function: { name: 'find', arguments: '{}' } }] };

test.each<[string, readonly JsonValue[]]>([
  ['has a call of its own', [...text(markup), chunk(real), chunk({}, 'stop')]],
  ['was cut by the limit', [...text(markup), chunk({}, 'length')]],
  ['was refused', [...text(markup), chunk({}, 'content_filter')]],
  ['says that it made calls', [...text(markup), chunk({}, 'tool_calls')]],
  ['only quotes the markup', [...text(`${markup}\nis how one calls.`), chunk({}, 'stop')]],
  ['names a tool that is not declared', [...text(markup.replace('read', 'gone')), chunk({}, 'stop')]],
])('an answer that %s is left as it is', (_, chunks) => {
  expect(answerOf(chunks, leaky)).toEqual(answerOf(chunks));
});

test('calls as text are read everywhere but at OpenAI, unless the configuration says otherwise', () => {
  const reads = (baseUrl: string | undefined, leakedCalls?: boolean) =>
    chatTraits(at(baseUrl, leakedCalls === undefined ? {} : { leakedCalls }), 'm').leakedCalls;
  expect([reads(local), reads(undefined), reads('https://api.openai.com/v1')]).toEqual([true, false, false]);
  expect([reads(local, false), reads(undefined, true)]).toEqual([false, true]);
});

test('a body without tools has no calls to read', () => {
  expect(readingLeakedCalls(chatDecoder, { messages: [] })).toBe(chatDecoder);
});
