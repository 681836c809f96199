import { expect, test } from '@jest/globals';
import type { Answer, ModelEvent, ProviderFailure } from '@zerd/core/model/answer';
import type { AssistantBlock } from '@zerd/protocol/common/event';
import type { JsonObject, JsonValue } from '@zerd/protocol/common/json';
import { chatDecoder } from '../../src/openai-chat/decode.ts';
import { encode } from '../../src/openai-chat/encode.ts';
import { chatTraits } from '../../src/openai-chat/traits.ts';
import { decodeAll, essence } from '../support/collect.ts';
import { fullPrompt, settings, tools } from '../support/prompts.ts';
import { chatChunks } from '../support/streams.ts';

const openai = chatTraits({ wire: 'chat' }, 'gpt-5.5');
const other = chatTraits({ wire: 'chat', baseUrl: 'http://localhost:1234/v1' }, 'qwen3');

function decoded(chunks: readonly JsonValue[]): readonly ModelEvent[] {
  return essence(decodeAll(chatDecoder, chunks));
}

function answerOf(chunks: readonly JsonValue[]): Answer {
  const last = decoded(chunks).at(-1);
  if (last?.kind !== 'finished') throw new Error(`not finished: ${JSON.stringify(last)}`);
  return last.answer;
}

function failureOf(chunks: readonly JsonValue[]): ProviderFailure {
  const last = decoded(chunks).at(-1);
  if (last?.kind !== 'failed') throw new Error(`not failed: ${JSON.stringify(last)}`);
  return last.failure;
}

function chunk(delta: JsonValue, finish: string | null = null, more: JsonObject = {}): JsonValue {
  return { choices: [{ index: 0, delta, finish_reason: finish }], ...more };
}

function piece(index: number | undefined, id: string | undefined, name: string | undefined, json: string): JsonValue {
  const fn = { ...(name === undefined ? {} : { name }), arguments: json };
  return { ...(index === undefined ? {} : { index }), ...(id === undefined ? {} : { id }), function: fn };
}

function calls(pieces: readonly JsonValue[], finish = 'tool_calls'): readonly AssistantBlock[] {
  return answerOf([...pieces.map((one) => chunk({ tool_calls: [one] })), chunk({}, finish)]).content;
}

test('the whole body for OpenAI: system first, arguments as received, results as messages, reasoning under its field', () => {
  expect(JSON.stringify(encode(fullPrompt, settings, openai), null, 1)).toBe(
    JSON.stringify(
      {
        model: 'some-model',
        max_completion_tokens: 4096,
        stream: true,
        stream_options: { include_usage: true },
        prompt_cache_key: 'key-of-the-prefix',
        tools: [
          { type: 'function', function: { name: 'read', description: 'Reads.', parameters: tools[0]?.inputSchema } },
          { type: 'function', function: { name: 'find', description: 'Finds.', parameters: { type: 'object' } } },
        ],
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'folder /repo' },
          { role: 'user', content: 'Fix it.' },
          {
            role: 'assistant',
            content: 'I look.',
            reasoning_content: 'Look first.',
            tool_calls: [
              { id: 'call_1', type: 'function', function: { name: 'read', arguments: '{ "path": "b.ts", "a": 1.0 }' } },
              { id: 'call_2', type: 'function', function: { name: 'made_up_', arguments: '{}' } },
            ],
          },
          { role: 'tool', tool_call_id: 'call_1', content: 'text \ufffd' },
          { role: 'tool', tool_call_id: 'call_2', content: '' },
          { role: 'user', content: 'And quickly.' },
        ],
      },
      null,
      1,
    ),
  );
});

test('other endpoints get max_tokens and no cache key, unless their configuration asks for it', () => {
  const body = encode(fullPrompt, settings, other);
  expect(Object.keys(body)).toEqual(['model', 'max_tokens', 'stream', 'stream_options', 'tools', 'messages']);
  const asking = chatTraits({ wire: 'chat', baseUrl: 'https://api.moonshot.ai/v1', promptCacheKey: true }, 'kimi');
  expect(encode(fullPrompt, settings, asking).prompt_cache_key).toBe('key-of-the-prefix');
  expect(chatTraits({ wire: 'chat', baseUrl: 'https://api.openai.com/v1' }, 'gpt-5.4')).toEqual(openai);
});

test('DeepSeek gets reasoning_content on every answer, empty where there was none', () => {
  const traits = chatTraits({ wire: 'chat', baseUrl: 'https://api.deepseek.com' }, 'deepseek-flash');
  const said: AssistantBlock = { kind: 'text', text: 'ok' };
  const body = encode({ ...fullPrompt, messages: [{ role: 'assistant', blocks: [said] }] }, settings, traits);
  expect(body.messages).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'assistant', content: 'ok', reasoning_content: '' },
  ]);
});

test('a recorded answer: reasoning, text, two calls whose pieces alternate, usage under one meaning', () => {
  expect(decoded(chatChunks)).toEqual([
    { kind: 'delta', channel: 'reasoning', text: 'Look first.' },
    { kind: 'delta', channel: 'text', text: 'Grüße 世界 😀' },
    { kind: 'delta', channel: 'toolInput', text: '{"path": "a{"pat.ts"}tern":"*"}' },
    {
      kind: 'finished',
      answer: {
        content: [
          { kind: 'opaque', wire: 'chat', json: '{"field":"reasoning_content","text":"Look first."}' },
          { kind: 'text', text: 'Grüße 世界 😀' },
          { kind: 'toolCall', callId: 'call_a', name: 'read', inputJson: '{"path": "a.ts"}' },
          { kind: 'toolCall', callId: 'call_b', name: 'find', inputJson: '{"pattern":"*"}' },
        ],
        stopReason: 'toolUse',
        usage: { uncached: 12, cacheRead: 2000, cacheWrite: 300, output: 57, reasoning: 20, reported: true },
      },
    },
  ]);
});

test.each<[string, readonly JsonValue[], JsonObject]>([
  ['reasoning', [{ reasoning: 'a' }, { reasoning: 'b' }], { reasoning: 'ab' }],
  ['reasoning_text', [{ reasoning_text: 'a' }], { reasoning_text: 'a' }],
  [
    'reasoning_details, its texts joined and its encrypted entries kept, without the same text twice',
    [
      { reasoning: 'a', reasoning_details: [{ type: 'reasoning.text', text: 'a', index: 0, format: 'f' }] },
      { reasoning: 'b', reasoning_details: [{ type: 'reasoning.text', text: 'b', index: 0, signature: 's' }] },
      { reasoning_details: [{ type: 'reasoning.encrypted', data: 'x', index: 1 }] },
      { reasoning_details: [{ type: 'reasoning.encrypted', data: 'y', index: 1 }] },
    ],
    {
      reasoning_details: [
        { type: 'reasoning.text', text: 'ab', index: 0, format: 'f', signature: 's' },
        { type: 'reasoning.encrypted', data: 'x', index: 1 },
        { type: 'reasoning.encrypted', data: 'y', index: 1 },
      ],
    },
  ],
])('reasoning goes back exactly: %s', (_, deltas, expected) => {
  const { content } = answerOf([...deltas.map((delta) => chunk(delta)), chunk({ content: 'so' }, 'stop')]);
  const body = encode(
    { ...fullPrompt, system: '', messages: [{ role: 'assistant', blocks: content }] },
    settings,
    other,
  );
  expect(body.messages).toEqual([{ role: 'assistant', content: 'so', ...expected }]);
});

test("Gemini's signature on a call goes back on that call", () => {
  const extra = { google: { thought_signature: 'c2ln' } };
  const second = { index: 1, id: 'b', function: { name: 'find', arguments: '{}' }, extra_content: extra };
  const content = calls([piece(0, 'a', 'read', '{}'), second]);
  const body = encode(
    { ...fullPrompt, system: '', messages: [{ role: 'assistant', blocks: content }] },
    settings,
    other,
  );
  expect(body.messages).toEqual([
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'read', arguments: '{}' } },
        { id: 'b', type: 'function', function: { name: 'find', arguments: '{}' }, extra_content: extra },
      ],
    },
  ]);
});

test.each<[string, readonly JsonValue[], readonly string[]]>([
  [
    'numbered',
    [piece(0, 'a', 'read', '{'), piece(1, 'b', 'find', '{}'), piece(0, undefined, undefined, '}')],
    ['a read {}', 'b find {}'],
  ],
  [
    'not numbered',
    [
      piece(undefined, 'a', 'read', '{"x"'),
      piece(undefined, undefined, undefined, ':1}'),
      piece(undefined, 'b', 'find', ''),
    ],
    ['a read {"x":1}', 'b find {}'],
  ],
  ['all numbered 0', [piece(0, 'a', 'read', '{}'), piece(0, 'b', 'find', '{}')], ['a read {}', 'b find {}']],
  ['with the id repeated', [piece(0, 'a', 'read', '{'), piece(0, 'a', 'read', '}')], ['a read {}']],
  ['with a new id on each piece but no name', [piece(0, 'a', 'read', '{'), piece(0, 'z', '', '}')], ['a read {}']],
  [
    'without any id',
    [piece(0, undefined, 'read', '{}'), piece(1, '', 'find', '{}')],
    ['call_0 read {}', 'call_1 find {}'],
  ],
  [
    'with arguments as an object',
    [{ index: 0, id: 'a', function: { name: 'read', arguments: { x: 1 } } }],
    ['a read {"x":1}'],
  ],
])('calls whose pieces come %s', (_, pieces, expected) => {
  expect(
    calls(pieces).map((block) => block.kind === 'toolCall' && `${block.callId} ${block.name} ${block.inputJson}`),
  ).toEqual(expected);
});

test.each([
  ['cut although the finish says tool_calls', '{"a": "x', 'tool_calls', 'the arguments are not valid JSON'],
  ['cut by the limit', '{"a": "x', 'length', 'the answer was cut off inside the arguments'],
  ['cut before the first byte', '', 'length', 'the answer was cut off before the arguments'],
  ['no object', '"text"', 'tool_calls', 'the arguments are not a JSON object'],
])('F-08: arguments that are %s', (_, json, finish, broken) => {
  expect(calls([piece(0, 'a', 'write', json)], finish)).toEqual([
    { kind: 'toolCall', callId: 'a', name: 'write', inputJson: '{}', broken },
  ]);
});

test.each<[string, JsonObject, JsonObject]>([
  [
    'OpenAI',
    { prompt_tokens: 100, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 60 } },
    { uncached: 40, cacheRead: 60, cacheWrite: 0, output: 5 },
  ],
  [
    'DeepSeek',
    { prompt_tokens: 100, completion_tokens: 5, prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 },
    { uncached: 36, cacheRead: 64, cacheWrite: 0, output: 5 },
  ],
  [
    'Kimi',
    { prompt_tokens: 100, completion_tokens: 5, cached_tokens: 10 },
    { uncached: 90, cacheRead: 10, cacheWrite: 0, output: 5 },
  ],
  [
    'xAI, reasoning beside the completion',
    {
      prompt_tokens: 100,
      completion_tokens: 5,
      total_tokens: 135,
      completion_tokens_details: { reasoning_tokens: 30 },
    },
    { uncached: 100, cacheRead: 0, cacheWrite: 0, output: 35, reasoning: 30 },
  ],
  [
    'figures that contradict each other',
    { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 99, cache_write_tokens: 7 } },
    { uncached: 0, cacheRead: 10, cacheWrite: 0, output: 5 },
  ],
])('usage of %s', (_, usage, expected) => {
  expect(answerOf([chunk({ content: 'a' }, 'stop', { usage })]).usage).toEqual({ ...expected, reported: true });
});

test('usage inside the choice counts, a bill wins, and no usage is no report', () => {
  const inChoice = {
    choices: [{ delta: { content: 'a' }, finish_reason: 'stop', usage: { prompt_tokens: 3, completion_tokens: 1 } }],
  };
  expect(answerOf([inChoice]).usage).toMatchObject({ uncached: 3, output: 1, reported: true });
  const billed = {
    prompt_tokens: 3,
    completion_tokens: 1,
    cost: 0.0000125,
    is_byok: true,
    cost_details: { upstream_inference_cost: 0.001 },
  };
  expect(answerOf([chunk({ content: 'a' }, 'stop', { usage: billed })]).billedPico).toBe(1_012_500_000);
  const absurd = { ...billed, cost: 1e6 };
  expect(answerOf([chunk({ content: 'a' }, 'stop', { usage: absurd })])).not.toHaveProperty('billedPico');
  expect(answerOf([chunk({ content: 'a' }, 'stop')])).toEqual({
    content: [{ kind: 'text', text: 'a' }],
    stopReason: 'end',
    usage: { uncached: 0, cacheRead: 0, cacheWrite: 0, output: 0, reported: false },
  });
});

test.each([
  ['stop', 'end'],
  ['length', 'maxTokens'],
  ['tool_calls', 'toolUse'],
  ['function_call', 'toolUse'],
  ['content_filter', 'refusal'],
  ['eos', 'other'],
])('the finish reason %s means %s', (finish, means) => {
  expect(answerOf([chunk({ content: 'a' }, finish)]).stopReason).toBe(means);
});

test("'stop' after a call means calls, and words of refusal mean refusal", () => {
  expect(answerOf([chunk({ tool_calls: [piece(0, 'a', 'read', '{}')] }, 'stop')]).stopReason).toBe('toolUse');
  expect(answerOf([chunk({ refusal: 'No.' }), chunk({}, 'stop')])).toMatchObject({
    stopReason: 'refusal',
    content: [{ text: 'No.' }],
  });
});

test('F-12: length without a word is an overflow, as endpoints that drop silently answer', () => {
  expect(failureOf([chunk({ role: 'assistant', content: '' }), chunk({}, 'length')]).code).toBe('context_overflow');
});

test('F-05, F-06: an error chunk ends the answer at once, wherever it stands', () => {
  const openrouter = {
    error: { code: 502, message: 'Upstream', metadata: { raw: '{"error":{"message":"boom"}}' } },
    choices: [],
  };
  expect(failureOf([chunk({ content: 'a' }), openrouter])).toEqual({
    code: 'provider_failed',
    message: 'Upstream: boom',
    status: 502,
    retryable: true,
  });
  const inChoice = { choices: [{ delta: {}, finish_reason: 'error', error: { message: 'Overloaded' } }] };
  expect(failureOf([inChoice])).toMatchObject({ code: 'provider_overloaded', message: 'Overloaded' });
  expect(failureOf([{ error: 'plain words' }])).toMatchObject({ code: 'provider_failed', message: 'plain words' });
});

test('F-04: every beginning without a finish_reason is truncated, never done', () => {
  const finishAt = chatChunks.length - 2;
  for (let length = 0; length <= finishAt; length += 1) {
    expect(failureOf(chatChunks.slice(0, length))).toMatchObject({ code: 'provider_truncated', retryable: true });
  }
  expect(answerOf(chatChunks.slice(0, finishAt + 1)).usage.reported).toBe(false);
});

test('F-10: empty chunks after the first are signs of life and no progress', () => {
  const [state, first] = chatDecoder.decode(chatDecoder.initialState, chunk({ role: 'assistant', content: '' }));
  expect(first).toEqual([]);
  expect(chatDecoder.decode(state, chunk({ content: '' }))[1]).toEqual([{ kind: 'alive' }]);
  expect(chatDecoder.decode(state, {})[1]).toEqual([{ kind: 'alive' }]);
});
