import { expect, test } from '@jest/globals';
import type { Answer, ModelEvent, ProviderFailure } from '@zerd/core/model/answer';
import type { AssistantBlock } from '@zerd/protocol/common/event';
import type { JsonValue } from '@zerd/protocol/common/json';
import { anthropicDecoder } from '../../src/anthropic-messages/decode.ts';
import { encode } from '../../src/anthropic-messages/encode.ts';
import { decodeAll, essence } from '../support/collect.ts';
import { fullPrompt, id, redacted, settings, signed, tools } from '../support/prompts.ts';
import { anthropicChunks } from '../support/streams.ts';

function decoded(chunks: readonly JsonValue[]): readonly ModelEvent[] {
  return essence(decodeAll(anthropicDecoder, chunks));
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

const begin: JsonValue = { type: 'message_start', message: { usage: { input_tokens: 10, output_tokens: 1 } } };

function ending(stopReason: string, usage: JsonValue = { output_tokens: 5 }): readonly JsonValue[] {
  return [{ type: 'message_delta', delta: { stop_reason: stopReason }, usage }, { type: 'message_stop' }];
}

function callChunks(pieces: readonly string[], input: JsonValue = {}, index = 0): readonly JsonValue[] {
  const block = { type: 'tool_use', id: `toolu_${index}`, name: 'write', input };
  const deltas = pieces.map((json) => ({
    type: 'content_block_delta',
    index,
    delta: { type: 'input_json_delta', partial_json: json },
  }));
  return [
    { type: 'content_block_start', index, content_block: block },
    ...deltas,
    { type: 'content_block_stop', index },
  ];
}

test('the whole body: tools, system and messages in fixed order, four marks, none on reasoning, no empty text', () => {
  const mark = { cache_control: { type: 'ephemeral' } };
  expect(JSON.stringify(encode(fullPrompt, settings), null, 1)).toBe(
    JSON.stringify(
      {
        model: 'some-model',
        max_tokens: 4096,
        stream: true,
        tools: [
          { name: 'read', description: 'Reads.', input_schema: tools[0]?.inputSchema },
          { name: 'find', description: 'Finds.', input_schema: { type: 'object' } },
        ],
        system: [{ type: 'text', text: 'Be brief.', ...mark }],
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'folder /repo' },
              { type: 'text', text: 'Fix it.', ...mark },
            ],
          },
          {
            role: 'assistant',
            content: [
              JSON.parse(signed),
              JSON.parse(redacted),
              { type: 'text', text: 'I look.' },
              { type: 'tool_use', id: 'call_1', name: 'read', input: { path: 'b.ts', a: 1 } },
              { type: 'tool_use', id: 'call_2', name: 'made_up_', input: {} },
            ],
          },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 'call_1', content: 'text \ufffd' },
              { type: 'tool_result', tool_use_id: 'call_2', is_error: true },
              { type: 'text', text: 'And quickly.', ...mark },
            ],
          },
        ],
      },
      null,
      1,
    ),
  );
});

test('a mark falls on the nearest block before it that may carry one', () => {
  const marked = encode({ ...fullPrompt, marks: [{ message: 1, block: 6 }] }, settings);
  expect(JSON.stringify(marked.messages).match(/"id":"call_2"[^}]*\{\}[^}]*cache_control/g)).toHaveLength(1);
  const onEmpty = encode({ ...fullPrompt, marks: [{ message: 0, block: 9 }] }, settings);
  expect(JSON.stringify(onEmpty.messages)).toContain(
    '{"type":"text","text":"Fix it.","cache_control":{"type":"ephemeral"}}',
  );
});

test('without a system text the last tool carries the mark of the fixed part, and marks stay four at most', () => {
  const marks = [0, 0, 0, 0, 0].map((_, block) => ({ message: 0, block }));
  const body = encode({ ...fullPrompt, system: ' ', marks }, settings);
  expect(body.system).toBeUndefined();
  expect(JSON.stringify(body.tools).match(/cache_control/g)).toHaveLength(1);
  expect(JSON.stringify(body).match(/cache_control/g)?.length).toBeLessThanOrEqual(4);
});

test('results stand first in their message, whatever order they were given in', () => {
  const blocks = [
    { kind: 'text', text: 'Wait.' },
    { kind: 'toolResult', callId: id('call_1'), text: 'r', isError: false },
  ] as const;
  const body = encode({ ...fullPrompt, marks: [], messages: [{ role: 'user', blocks }] }, settings);
  expect(body.messages).toEqual([
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'call_1', content: 'r' },
        { type: 'text', text: 'Wait.' },
      ],
    },
  ]);
});

test('a recorded answer: reasoning exact and in place, text, call, usage under one meaning', () => {
  expect(decoded(anthropicChunks)).toEqual([
    { kind: 'delta', channel: 'reasoning', text: 'Look first.' },
    { kind: 'delta', channel: 'text', text: 'Grüße 世界 😀' },
    { kind: 'delta', channel: 'toolInput', text: '{"path": "a.ts"}' },
    {
      kind: 'finished',
      answer: {
        content: [
          { kind: 'opaque', wire: 'anthropic', json: signed },
          { kind: 'opaque', wire: 'anthropic', json: redacted },
          { kind: 'text', text: 'Grüße 世界 😀' },
          { kind: 'toolCall', callId: 'toolu_1', name: 'read', inputJson: '{"path": "a.ts"}' },
        ],
        stopReason: 'toolUse',
        usage: {
          uncached: 12,
          cacheRead: 2000,
          cacheWrite: 300,
          cacheWrite1h: 100,
          output: 57,
          reasoning: 20,
          reported: true,
        },
      },
    },
  ]);
});

test('reasoning goes back exactly, empty text and all', () => {
  const empty = { type: 'thinking', thinking: '', signature: 'c2lnbmVk' };
  const other = { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'x' } };
  const chunks = [
    begin,
    { type: 'content_block_start', index: 0, content_block: { ...empty, signature: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: empty.signature } },
    { type: 'content_block_start', index: 1, content_block: { ...other, input: {} } },
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"query":"x"}' } },
    ...ending('end_turn'),
  ];
  const blocks = answerOf(chunks).content;
  const said: AssistantBlock = { kind: 'text', text: 'so' };
  const body = encode(
    { ...fullPrompt, marks: [], messages: [{ role: 'assistant', blocks: [...blocks, said] }] },
    settings,
  );
  expect(body.messages).toEqual([{ role: 'assistant', content: [empty, other, { type: 'text', text: 'so' }] }]);
});

test.each<[string, readonly string[], string, Partial<AssistantBlock>]>([
  ['whole', ['{"a"', ':1}'], 'tool_use', { inputJson: '{"a":1}' }],
  ['absent', [], 'tool_use', { inputJson: '{}' }],
  [
    'cut by the limit',
    ['{"a"'],
    'max_tokens',
    { inputJson: '{}', broken: 'the answer was cut off inside the arguments' },
  ],
  [
    'cut before the first byte',
    [''],
    'max_tokens',
    { inputJson: '{}', broken: 'the answer was cut off before the arguments' },
  ],
  [
    'cut although the stop reason says tool_use',
    ['{"a": "x'],
    'tool_use',
    { inputJson: '{}', broken: 'the arguments are not valid JSON' },
  ],
  ['a list', ['[1]'], 'tool_use', { inputJson: '{}', broken: 'the arguments are not a JSON object' }],
  ['two objects', ['{}{}'], 'tool_use', { inputJson: '{}', broken: 'the arguments are not valid JSON' }],
  [
    'a bomb of brackets',
    [`{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`],
    'tool_use',
    { inputJson: '{}', broken: 'the arguments nest deeper than 200 levels' },
  ],
])('F-08: tool arguments that are %s', (_, pieces, stopReason, expected) => {
  const answer = answerOf([begin, ...callChunks(pieces), ...ending(stopReason)]);
  expect(answer.content).toEqual([{ kind: 'toolCall', callId: 'toolu_0', name: 'write', ...expected }]);
});

test('input that a gateway gives when the block begins counts; earlier calls of a cut answer stay whole', () => {
  const answer = answerOf([
    begin,
    ...callChunks([], { path: 'a' }),
    ...callChunks(['{"b'], {}, 1),
    ...ending('max_tokens'),
  ]);
  expect(answer.content).toEqual([
    { kind: 'toolCall', callId: 'toolu_0', name: 'write', inputJson: '{"path":"a"}' },
    {
      kind: 'toolCall',
      callId: 'toolu_1',
      name: 'write',
      inputJson: '{}',
      broken: 'the answer was cut off inside the arguments',
    },
  ]);
  expect(answer.stopReason).toBe('maxTokens');
});

test('F-13: calls with the same id or a missing one, and input of 20 MB, are passed on for the log to mend', () => {
  const big = JSON.stringify({ content: 'x'.repeat(20 * 1024 * 1024) });
  const nameless = {
    type: 'content_block_start',
    index: 1,
    content_block: { type: 'tool_use', name: 'nobody', input: {} },
  };
  const again = {
    type: 'content_block_start',
    index: 2,
    content_block: { type: 'tool_use', id: 'toolu_0', name: 'write', input: {} },
  };
  const content = answerOf([begin, ...callChunks([big]), nameless, again, ...ending('tool_use')]).content;
  expect(content.map((block) => block.kind === 'toolCall' && block.callId)).toEqual(['toolu_0', 'call_1', 'toolu_0']);
  expect(content[0]).toEqual({ kind: 'toolCall', callId: 'toolu_0', name: 'write', inputJson: big });
});

test.each([
  ['end_turn', 'end'],
  ['stop_sequence', 'end'],
  ['tool_use', 'toolUse'],
  ['max_tokens', 'maxTokens'],
  ['pause_turn', 'pause'],
  ['refusal', 'refusal'],
  ['model_context_window_exceeded', 'contextFull'],
  ['sensitive', 'refusal'],
  ['brand_new', 'other'],
])('the stop reason %s means %s', (reason, means) => {
  expect(answerOf([begin, ...ending(reason)]).stopReason).toBe(means);
});

test('usage: the newest figure of each kind that is not 0 holds, and zeros throughout are no report', () => {
  const usageOf = (start: JsonValue, end: JsonValue) =>
    answerOf([{ type: 'message_start', message: { usage: start } }, ...ending('end_turn', end)]).usage;
  const input = { input_tokens: 9, cache_read_input_tokens: 100, output_tokens: 1 };
  const whole = { uncached: 9, cacheRead: 100, cacheWrite: 0, output: 5, reported: true };
  expect(usageOf(input, { output_tokens: 5 })).toEqual(whole);
  expect(usageOf(input, { input_tokens: 0, cache_read_input_tokens: null, output_tokens: 5 })).toEqual(whole);
  expect(usageOf({ input_tokens: 0 }, { ...input, output_tokens: 5 })).toEqual(whole);
  // What a proxy guesses of the whole prompt as it begins is not counted beside what was read of it.
  expect(usageOf({ input_tokens: 112, output_tokens: 1 }, { ...input, output_tokens: 5 })).toEqual(whole);
  expect(usageOf({ input_tokens: 0, output_tokens: 0 }, null)).toEqual({
    uncached: 0,
    cacheRead: 0,
    cacheWrite: 0,
    output: 0,
    reported: false,
  });
});

test('F-05, F-06: an error event ends the answer at once, classified as the status it stands for', () => {
  const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
  expect(failureOf([...anthropicChunks.slice(0, 6), error])).toEqual({
    code: 'provider_overloaded',
    message: 'Overloaded',
    status: 529,
    retryable: true,
  });
});

test('F-04: every beginning of an answer is truncated, never done', () => {
  for (let length = 0; length < anthropicChunks.length; length += 1) {
    const failure = failureOf(anthropicChunks.slice(0, length));
    expect(failure).toMatchObject({ code: 'provider_truncated', retryable: true });
  }
  expect(failureOf([]).message).toBe('The answer ended before it began: no message_stop came.');
});

test('a delta for a block that never began is malformed, and what is not known is only a sign of life', () => {
  const stray = { type: 'content_block_delta', index: 7, delta: { type: 'text_delta', text: 'x' } };
  expect(failureOf([begin, stray]).code).toBe('provider_malformed');
  for (const chunk of [{ type: 'ping' }, { type: 'brand_new' }, {}, [], 'text', null]) {
    expect(anthropicDecoder.decode(anthropicDecoder.initialState, chunk)[1]).toEqual([{ kind: 'alive' }]);
  }
});

test('a model that binds its reasoning is asked to drop what an edit made void, with every request, and says how much', () => {
  const binding = { ...settings, bindsReasoning: true } as const;
  const { thinking, ...rest } = encode(fullPrompt, binding);
  expect(thinking).toEqual({ type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } });
  expect(JSON.stringify(rest)).toBe(JSON.stringify(encode(fullPrompt, settings)));
  const transformations = ['thinking_dropped', 'thinking_mismatch_allowed', 'thinking_dropped'].map((type) => ({
    type,
    path: 'messages.1.content.0',
    reason: 'prefix_binding_mismatch',
  }));
  const told: JsonValue = { type: 'message_start', message: { usage: {}, input_transformations: transformations } };
  expect(answerOf([told, ...ending('end_turn')]).removedReasoning).toBe(2);
  expect(answerOf([begin, ...ending('end_turn')])).not.toHaveProperty('removedReasoning');
});
