import { expect, test } from '@jest/globals';
import type { Answer, ModelEvent, ProviderFailure } from '@zerd/core/model/answer';
import type { Prompt } from '@zerd/core/model/prompt';
import type { AssistantBlock } from '@zerd/protocol/common/event';
import type { JsonObject, JsonValue } from '@zerd/protocol/common/json';
import { codexHeaders } from '../../src/openai-responses/codex.ts';
import { responsesDecoder } from '../../src/openai-responses/decode.ts';
import { encode } from '../../src/openai-responses/encode.ts';
import { responsesTraits } from '../../src/openai-responses/traits.ts';
import type { Endpoint } from '../../src/provider.ts';
import { decodeAll, essence } from '../support/collect.ts';
import { fullPrompt, id, settings, tools } from '../support/prompts.ts';
import { callItem, messageItem, reasoningItem, responsesChunks, usage } from '../support/responses-stream.ts';

const newest = responsesTraits({ wire: 'responses' }, 'gpt-6.2-sol');
const ours: Endpoint = { wire: 'responses', baseUrl: 'http://localhost:1234/v1' };

function decoded(chunks: readonly JsonValue[]): readonly ModelEvent[] {
  return essence(decodeAll(responsesDecoder, chunks));
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

function done(...items: readonly JsonObject[]): readonly JsonValue[] {
  return items.map((item, i) => ({ type: 'response.output_item.done', output_index: i, item }));
}

function completed(more: JsonObject = {}): JsonValue {
  return { type: 'response.completed', response: { status: 'completed', output: [], ...more } };
}

function incomplete(reason: string, more: JsonObject = {}): JsonValue {
  return {
    type: 'response.incomplete',
    response: { status: 'incomplete', incomplete_details: { reason }, output: [], ...more },
  };
}

function opaque(item: JsonObject): AssistantBlock {
  return { kind: 'opaque', wire: 'responses', json: JSON.stringify(item) };
}

function call(callId: string, name: string, inputJson: string): AssistantBlock {
  return { kind: 'toolCall', callId: id(callId), name, inputJson };
}

function prompt(blocks: readonly AssistantBlock[]): Prompt {
  return { ...fullPrompt, system: '', messages: [{ role: 'assistant', blocks }] };
}

function sentBack(blocks: readonly AssistantBlock[]): JsonValue | undefined {
  return encode(prompt(blocks), settings, newest).input;
}

const headOfMessage = { id: 'msg_1', type: 'message', status: 'completed', role: 'assistant', phase: 'commentary' };
const headOfCall = { id: 'fc_1', type: 'function_call', status: 'completed' };
const said: AssistantBlock = { kind: 'text', text: 'Grüße 世界 😀' };
const answered: readonly AssistantBlock[] = [
  opaque(reasoningItem),
  opaque(headOfMessage),
  said,
  opaque(headOfCall),
  call('call_a', 'read', '{"path": "a.ts"}'),
];

test('the whole body: stateless, the system as the first developer item with its breakpoint, an item a block', () => {
  expect(JSON.stringify(encode(fullPrompt, settings, newest), null, 1)).toBe(
    JSON.stringify(
      {
        model: 'some-model',
        stream: true,
        store: false,
        max_output_tokens: 4096,
        include: ['reasoning.encrypted_content'],
        reasoning: { summary: 'auto' },
        prompt_cache_key: 'key-of-the-prefix',
        tools: [
          {
            type: 'function',
            name: 'read',
            description: 'Reads.',
            parameters: tools[0]?.inputSchema,
            strict: false,
          },
          { type: 'function', name: 'find', description: 'Finds.', parameters: { type: 'object' }, strict: false },
        ],
        input: [
          {
            type: 'message',
            role: 'developer',
            content: [{ type: 'input_text', text: 'Be brief.', prompt_cache_breakpoint: { mode: 'explicit' } }],
          },
          { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'folder /repo' }] },
          { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Fix it.' }] },
          {
            type: 'message',
            role: 'assistant',
            content: [{ type: 'output_text', text: 'I look.', annotations: [] }],
          },
          {
            type: 'function_call',
            call_id: 'call_1',
            name: 'read',
            arguments: '{ "path": "b.ts", "a": 1.0 }',
          },
          { type: 'function_call', call_id: 'call_2', name: 'made_up_', arguments: '{}' },
          { type: 'function_call_output', call_id: 'call_1', output: 'text \ufffd' },
          { type: 'function_call_output', call_id: 'call_2', output: '' },
          { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'And quickly.' }] },
        ],
      },
      null,
      1,
    ),
  );
});

test.each<[string, Endpoint, string, readonly string[], boolean]>([
  ['OpenAI, newest', { wire: 'responses' }, 'gpt-6.2-sol', ['include', 'reasoning', 'prompt_cache_key'], true],
  ['OpenAI, 5.6', { wire: 'responses' }, 'gpt-5.6-luna', ['include', 'reasoning', 'prompt_cache_key'], true],
  ['OpenAI, 5.5', { wire: 'responses' }, 'gpt-5.5-pro', ['include', 'reasoning', 'prompt_cache_key'], false],
  ['OpenAI, 5', { wire: 'responses' }, 'gpt-5', ['include', 'reasoning', 'prompt_cache_key'], false],
  ['OpenAI, o3', { wire: 'responses' }, 'o3', ['include', 'reasoning', 'prompt_cache_key'], false],
  ['OpenAI, no reasoning', { wire: 'responses' }, 'gpt-4.1-mini', ['prompt_cache_key'], false],
  ['another server', ours, 'qwen3', ['include', 'prompt_cache_key'], false],
  ['a server that refuses the key', { ...ours, promptCacheKey: false }, 'gpt-oss:20b', ['include'], false],
])('%s gets the parameters that it takes', (_, endpoint, modelId, parameters, breakpoint) => {
  const {
    model,
    stream,
    store,
    max_output_tokens,
    tools: __,
    input,
    ...rest
  } = encode(fullPrompt, { modelId, maxOutput: 1 }, responsesTraits(endpoint, modelId));
  expect({ model, stream, store, max_output_tokens }).toEqual({
    model: modelId,
    stream: true,
    store: false,
    max_output_tokens: 16,
  });
  expect(Object.keys(rest)).toEqual(parameters);
  expect(JSON.stringify(input).includes('prompt_cache_breakpoint')).toBe(breakpoint);
});

test("the body for ChatGPT's backend: no output limit, no breakpoint, its own parameters; the headers name account and session", () => {
  const claims = { 'https://api.openai.com/auth': { chatgpt_account_id: 'acc-ü-1' } };
  const token = `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.sig`;
  const traits = responsesTraits({ wire: 'responses', codex: true }, 'gpt-6.2-sol');
  const body = encode({ ...fullPrompt, tools: [], messages: [], cacheKey: 'ses_1' }, settings, traits);
  expect(body).toEqual({
    model: 'some-model',
    stream: true,
    store: false,
    text: { verbosity: 'low' },
    tool_choice: 'auto',
    parallel_tool_calls: true,
    include: ['reasoning.encrypted_content'],
    reasoning: { summary: 'auto' },
    prompt_cache_key: 'ses_1',
    input: [{ type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be brief.' }] }],
  });
  expect(codexHeaders(body, token)).toEqual({
    accept: 'text/event-stream',
    originator: 'zerd',
    'openai-beta': 'responses=experimental',
    'chatgpt-account-id': 'acc-ü-1',
    'session-id': 'ses_1',
    'x-client-request-id': 'ses_1',
  });
  for (const other of [undefined, '', 'sk-1', 'a.b.c', 'a.bnVsbA.c'])
    expect(Object.keys(codexHeaders(body, other))).not.toContain('chatgpt-account-id');
});

test('a recorded answer: reasoning whole from its closing event, heads of message and call, usage under one meaning', () => {
  expect(decoded(responsesChunks)).toEqual([
    { kind: 'delta', channel: 'reasoning', text: 'Look first.' },
    { kind: 'delta', channel: 'text', text: 'Grüße 世界 😀' },
    { kind: 'delta', channel: 'toolInput', text: '{"path": "a.ts"}' },
    {
      kind: 'finished',
      answer: {
        content: answered,
        stopReason: 'toolUse',
        usage: { uncached: 12, cacheRead: 2000, cacheWrite: 300, output: 57, reasoning: 20, reported: true },
      },
    },
  ]);
});

test('a recorded answer goes back as it came, item by item', () => {
  const whole = { ...messageItem, content: [{ type: 'output_text', text: 'Grüße 世界 😀', annotations: [] }] };
  expect(sentBack(answered)).toEqual([reasoningItem, whole, callItem]);
});

test('after a change of model an answer goes back without reasoning, ids and phase', () => {
  expect(sentBack(answered.filter((block) => block.kind !== 'opaque'))).toEqual([
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Grüße 世界 😀', annotations: [] }] },
    { type: 'function_call', call_id: 'call_a', name: 'read', arguments: '{"path": "a.ts"}' },
  ]);
});

test('both phases of an answer are kept on their own message', () => {
  const message = (phase: string, text: string): JsonObject => ({
    id: `msg_${phase}`,
    type: 'message',
    status: 'completed',
    role: 'assistant',
    phase,
    content: [{ type: 'output_text', text, annotations: [] }],
  });
  const items = [message('commentary', 'I look.'), message('final_answer', 'Found.')];
  const { content, stopReason } = answerOf([...done(...items), completed()]);
  expect(sentBack(content)).toEqual(items);
  expect(stopReason).toBe('end');
});

const second: JsonObject = { ...reasoningItem, id: 'rs_2' };
const textOnly: JsonObject = {
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'so', annotations: [] }],
};

test.each<[string, readonly AssistantBlock[], readonly JsonObject[]]>([
  ['reasoning that nothing follows', [{ kind: 'text', text: 'so' }, opaque(reasoningItem)], [textOnly]],
  ['reasoning alone', [opaque(reasoningItem), opaque(second)], []],
  ['reasoning whose message is empty', [opaque(reasoningItem), opaque(headOfMessage), { kind: 'text', text: ' ' }], []],
  ['a head whose block is gone', [opaque(headOfCall), { kind: 'text', text: 'so' }], [textOnly]],
  [
    'what another wire made',
    [
      { kind: 'opaque', wire: 'chat', json: '{"type":"reasoning"}' },
      { kind: 'text', text: 'so' },
    ],
    [textOnly],
  ],
  [
    'what is no JSON',
    [
      { kind: 'opaque', wire: 'responses', json: '{' },
      { kind: 'text', text: 'so' },
    ],
    [textOnly],
  ],
])('%s does not go back', (_, blocks, expected) => {
  expect(sentBack(blocks)).toEqual(expected);
});

test('several reasoning items in a row and items of unknown kinds stay, in place', () => {
  const unknown = { type: 'compaction', id: 'cmp_1', encrypted_content: 'x' };
  const items = [reasoningItem, second, unknown, callItem];
  expect(sentBack(answerOf([...done(...items), completed()]).content)).toEqual(items);
});

test('reasoning that could never go back stateless is not kept; the text that open servers give instead is', () => {
  const bare = { ...reasoningItem, encrypted_content: null };
  const open = { type: 'reasoning', id: 'rs_3', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] };
  const cut = { ...reasoningItem, status: 'incomplete' };
  expect(sentBack(answerOf([...done(bare, open, cut, callItem), completed()]).content)).toEqual([open, callItem]);
  const last = answerOf([...done(callItem, reasoningItem), completed()]);
  expect(last.content.map((block) => block.kind)).toEqual(['opaque', 'toolCall']);
});

test('the encrypted part that only the closing event brings is taken from there', () => {
  const { encrypted_content: _, ...early } = reasoningItem;
  const chunks = [...done(early, callItem), completed({ output: [reasoningItem, callItem] })];
  expect(sentBack(answerOf(chunks).content)).toEqual([reasoningItem, callItem]);
});

test('a server that only sends the closing event is read from it', () => {
  expect(answerOf([completed({ output: [messageItem, callItem], usage })])).toEqual({
    content: answered.slice(1),
    stopReason: 'toolUse',
    usage: { uncached: 12, cacheRead: 2000, cacheWrite: 300, output: 57, reasoning: 20, reported: true },
  });
});

test('items of servers that number nothing are told apart by id, and by order where they have none', () => {
  const strip = (chunk: JsonValue): JsonValue => {
    const { output_index: _, ...rest } = chunk as JsonObject;
    return rest;
  };
  expect(decoded(responsesChunks.map(strip))).toEqual(decoded(responsesChunks));
  const nameless = (item: JsonObject): JsonObject => {
    const { id: __, ...rest } = item;
    return rest;
  };
  const chunks = [
    { type: 'response.output_item.added', item: { ...nameless(callItem), arguments: '' } },
    { type: 'response.function_call_arguments.delta', delta: '{"path": "a.ts"}' },
    { type: 'response.output_item.done', item: nameless(callItem) },
    { type: 'response.output_item.done', item: { ...nameless(callItem), call_id: 'call_b' } },
    completed(),
  ];
  expect(answerOf(chunks).content.flatMap((block) => (block.kind === 'toolCall' ? [block.callId] : []))).toEqual([
    'call_a',
    'call_b',
  ]);
});

test('the summaries of reasoning are shown apart', () => {
  const part = (summary_index: number) => ({ type: 'response.reasoning_summary_part.added', summary_index });
  const more = (delta: string) => ({ type: 'response.reasoning_summary_text.delta', delta });
  expect(decoded([part(0), more('One.'), part(1), more('Two.')])[0]).toEqual({
    kind: 'delta',
    channel: 'reasoning',
    text: 'One.\n\nTwo.',
  });
});

test.each<[string, JsonValue, JsonObject, string | undefined]>([
  [
    'cut by the limit inside its arguments',
    incomplete('max_output_tokens'),
    { arguments: '{"path": "a' },
    'the answer was cut off inside the arguments',
  ],
  [
    'cut before the first byte',
    incomplete('max_output_tokens'),
    { arguments: '' },
    'the answer was cut off before the arguments',
  ],
  [
    'incomplete by its own status',
    completed(),
    { status: 'incomplete', arguments: '{"path"' },
    'the answer was cut off inside the arguments',
  ],
  ['not JSON', completed(), { arguments: '{"path"' }, 'the arguments are not valid JSON'],
  ['no object', completed(), { arguments: '[]' }, 'the arguments are not a JSON object'],
  ['whole when the limit came', incomplete('max_output_tokens'), {}, undefined],
])('F-08: a call that is %s', (_, end, more, broken) => {
  const { content } = answerOf([...done({ ...callItem, ...more }), end]);
  const block = { kind: 'toolCall', callId: 'call_a', name: 'read', inputJson: '{"path": "a.ts"}' };
  expect(content.at(-1)).toEqual(broken === undefined ? block : { ...block, inputJson: '{}', broken });
  // What goes back is not what the API remembers under the item's id.
  expect(content).toHaveLength(broken === undefined ? 2 : 1);
});

test('F-08: a call that was announced and never done is cut, its text and reasoning likewise', () => {
  const chunks = responsesChunks.slice(0, -4);
  expect(answerOf([...chunks, incomplete('max_output_tokens')])).toMatchObject({
    content: [...answered.slice(0, 3), { kind: 'toolCall', broken: 'the answer was cut off inside the arguments' }],
    stopReason: 'maxTokens',
  });
  expect(answerOf([...responsesChunks.slice(0, 11), incomplete('max_output_tokens')]).content).toEqual([
    opaque(reasoningItem),
    { kind: 'text', text: 'Grüße 世' },
  ]);
  expect(answerOf([...responsesChunks.slice(0, 5), incomplete('max_output_tokens', { usage })])).toMatchObject({
    content: [],
    stopReason: 'maxTokens',
  });
});

test.each<[string, JsonValue, JsonObject, string]>([
  ['max_output_tokens', incomplete('max_output_tokens'), messageItem, 'maxTokens'],
  ['content_filter', incomplete('content_filter'), messageItem, 'refusal'],
  ['steered', incomplete('steered'), messageItem, 'other'],
  ['completed', completed(), messageItem, 'end'],
  [
    "completed, as ChatGPT's backend says it",
    { type: 'response.done', response: { status: 'completed' } },
    callItem,
    'toolUse',
  ],
  [
    'words of refusal',
    completed(),
    { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
    'refusal',
  ],
])('the end %s has its meaning', (_, end, item, means) => {
  expect(answerOf([...done(item), end]).stopReason).toBe(means);
});

test('a refusal is shown and kept as the text of the answer', () => {
  const chunks = [
    { type: 'response.output_item.added', output_index: 0, item: { type: 'message', role: 'assistant', content: [] } },
    { type: 'response.refusal.delta', output_index: 0, delta: 'No.' },
    completed(),
  ];
  expect(decoded(chunks)).toEqual([
    { kind: 'delta', channel: 'text', text: 'No.' },
    {
      kind: 'finished',
      answer: {
        content: [{ kind: 'text', text: 'No.' }],
        stopReason: 'refusal',
        usage: { uncached: 0, cacheRead: 0, cacheWrite: 0, output: 0, reported: false },
      },
    },
  ]);
});

test.each<[string, JsonObject, JsonObject]>([
  ['without a cache', { input_tokens: 10, output_tokens: 5 }, { uncached: 10, cacheRead: 0, cacheWrite: 0, output: 5 }],
  [
    'before GPT-5.6',
    { input_tokens: 100, input_tokens_details: { cached_tokens: 60 }, output_tokens: 5 },
    { uncached: 40, cacheRead: 60, cacheWrite: 0, output: 5 },
  ],
  [
    'that contradicts itself',
    { input_tokens: 10, input_tokens_details: { cached_tokens: 99, cache_write_tokens: 7 }, output_tokens: 5 },
    { uncached: 0, cacheRead: 10, cacheWrite: 0, output: 5 },
  ],
])('usage %s', (_, reported, expected) => {
  expect(answerOf([...done(messageItem), completed({ usage: reported })]).usage).toEqual({
    ...expected,
    reported: true,
  });
});

test('reasoning that the provider kept from the model is counted, except what older models always leave out', () => {
  const removed = (reason: string) => ({ type: 'reasoning', id: 'rs_0', action: 'removed', reason });
  const transformations = [removed('prefix_mismatch'), removed('turn_boundary'), removed('model_mismatch'), null, 'x'];
  expect(answerOf([completed({ input_transformations: transformations })]).removedReasoning).toBe(2);
  expect(answerOf([completed({ input_transformations: [removed('turn_boundary')] })])).not.toHaveProperty(
    'removedReasoning',
  );
});

test('F-12: length without a word is an overflow, as endpoints that drop silently answer', () => {
  expect(failureOf([{ type: 'response.created' }, incomplete('max_output_tokens')]).code).toBe('context_overflow');
});

test.each<[string, JsonValue, Partial<ProviderFailure>]>([
  [
    'a failed response',
    { type: 'response.failed', response: { status: 'failed', error: { code: 'server_error', message: 'Boom.' } } },
    { code: 'provider_failed', message: 'Boom.', status: 500, retryable: true },
  ],
  [
    'a failed response that is limited',
    { type: 'response.failed', response: { error: { code: 'rate_limit_exceeded', message: 'Slow down.' } } },
    { code: 'provider_rate_limited', message: 'Slow down.', status: 429, retryable: true },
  ],
  [
    'a failed response that is too long',
    {
      type: 'response.failed',
      response: {
        error: { code: 'context_length_exceeded', message: 'Your input exceeds the context window of this model.' },
      },
    },
    { code: 'context_overflow', retryable: false },
  ],
  [
    'a failed response that is refused',
    { type: 'response.failed', response: { error: { code: 'invalid_prompt', message: 'Flagged.' } } },
    { code: 'provider_rejected', message: 'Flagged.', retryable: false },
  ],
  [
    'a failed response without a word',
    { type: 'response.failed', response: { error: null } },
    {
      code: 'provider_failed',
      message: 'The provider ended the answer as failed and said nothing more.',
      retryable: true,
    },
  ],
  [
    'an error event',
    { type: 'error', code: 'server_error', message: 'Boom.', param: null, sequence_number: 9 },
    { code: 'provider_failed', message: 'Boom.', retryable: true },
  ],
  [
    'an error event about money',
    { type: 'error', code: 'insufficient_quota', message: 'You exceeded your current quota.', param: null },
    { code: 'provider_quota', retryable: false },
  ],
])('F-05, F-06: %s ends the answer at once, wherever it stands', (_, end, expected) => {
  expect(failureOf([...responsesChunks.slice(0, 12), end, completed()])).toMatchObject(expected);
  expect(failureOf([end])).toMatchObject(expected);
});

test('F-04: every beginning without response.completed is truncated, never done', () => {
  for (let length = 0; length < responsesChunks.length; length += 1) {
    expect(failureOf(responsesChunks.slice(0, length))).toMatchObject({ code: 'provider_truncated', retryable: true });
  }
});

test('F-10: repeated states, keep-alives and events of the future are signs of life and no progress', () => {
  for (const type of ['response.in_progress', 'response.queued', 'keepalive', 'response.new.delta'])
    expect(responsesDecoder.decode(responsesDecoder.initialState, { type })[1]).toEqual([{ kind: 'alive' }]);
  for (const chunk of [null, [], 'x', {}])
    expect(responsesDecoder.decode(responsesDecoder.initialState, chunk)[1]).toEqual([{ kind: 'alive' }]);
});
