import { expect, test } from '@jest/globals';
import type { ProviderFailure } from '@zerd/core/model/answer';
import type { JsonObject, JsonValue } from '@zerd/protocol/common/json';
import { responsesDecoder } from '../../src/openai-responses/decode.ts';
import {
  answered,
  answerOf,
  completed,
  decoded,
  done,
  failureOf,
  incomplete,
  opaque,
} from '../support/responses-answers.ts';
import { callItem, messageItem, reasoningItem, responsesChunks, usage } from '../support/responses-stream.ts';

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

test('F-08: a call that is never done although the answer is called complete is cut', () => {
  expect(answerOf([...responsesChunks.slice(0, -4), completed()]).content.at(-1)).toMatchObject({
    kind: 'toolCall',
    inputJson: '{}',
    broken: 'the answer was cut off inside the arguments',
  });
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
