import { expect, test } from '@jest/globals';
import type { ModelEvent } from '@zerd/core/model/answer';
import type { JsonObject } from '@zerd/protocol/common/json';
import { diagnosingDecoder } from '@zerd/providers/anthropic-messages/decode';
import { encode as encodeAnthropic } from '@zerd/providers/anthropic-messages/encode';
import { createProvider } from '@zerd/providers/create-provider';
import { namingDecoder } from '@zerd/providers/openai-responses/decode';

const prompt = { system: 'You are.', tools: [], messages: [], marks: [], cacheKey: 'key' };
const settings = { modelId: 'claude-opus-5-5', maxOutput: 100 };

test('Anthropic is asked with the answer before, with null on the first request, and only where the row says so', () => {
  expect(encodeAnthropic(prompt, settings).diagnostics).toBeUndefined();
  expect(encodeAnthropic(prompt, settings, true).diagnostics).toEqual({ previous_message_id: null });
  expect(encodeAnthropic({ ...prompt, previousResponseId: 'msg_1' }, settings, true).diagnostics).toEqual({
    previous_message_id: 'msg_1',
  });
});

test('OpenAI is asked from the second request on; its coding backend, which refuses the field, never', () => {
  const body = (more: object, id?: string) =>
    createProvider({ wire: 'responses', ...more }).encode(
      { ...prompt, ...(id === undefined ? {} : { previousResponseId: id }) },
      { ...settings, modelId: 'gpt-6.2-sol' },
    ).prompt_cache_options;
  expect(body({ diagnosis: 'openai' }, 'resp_1')).toEqual({ comparison_response_id: 'resp_1' });
  expect(body({ diagnosis: 'openai' })).toBeUndefined();
  expect(body({}, 'resp_1')).toBeUndefined();
  expect(body({ diagnosis: 'openai', codex: true }, 'resp_1')).toBeUndefined();
});

function anthropicAnswer(diagnostics: unknown, asked: unknown = 'msg_1') {
  const decoder = diagnosingDecoder({ diagnostics: { previous_message_id: asked } } as JsonObject);
  const usage = { input_tokens: 5, output_tokens: 1 };
  const message = { id: 'msg_2', usage, ...(diagnostics === undefined ? {} : { diagnostics }) };
  const chunks = [{ type: 'message_start', message }, { type: 'message_stop' }] as readonly JsonObject[];
  return lastOf(chunks, decoder);
}

function lastOf<S>(
  chunks: readonly JsonObject[],
  decoder: { initialState: S; decode(state: S, chunk: JsonObject): readonly [S, readonly ModelEvent[]] },
) {
  let state = decoder.initialState;
  let events: readonly ModelEvent[] = [];
  for (const chunk of chunks) [state, events] = decoder.decode(state, chunk);
  const [last] = events;
  return last?.kind === 'finished' ? [last.answer.responseId, last.answer.diagnosis] : last;
}

test.each([
  [null, { verdict: 'same' }],
  [{ cache_miss_reason: null }, { verdict: 'unknown' }],
  [
    { cache_miss_reason: { type: 'messages_changed', cache_missed_input_tokens: 900 } },
    { verdict: 'changed', reason: 'messages_changed', missedTokens: 900 },
  ],
  [{ cache_miss_reason: { type: 'tools_changed' } }, { verdict: 'changed', reason: 'tools_changed' }],
  [{ cache_miss_reason: { type: 'unavailable' } }, { verdict: 'unknown', reason: 'unavailable' }],
  [
    { cache_miss_reason: { type: 'previous_message_not_found' } },
    { verdict: 'unknown', reason: 'previous_message_not_found' },
  ],
  [undefined, undefined],
])('Anthropic says %j: that is %j', (said, expected) => {
  expect(anthropicAnswer(said)).toEqual(['msg_2', expected]);
});

test('a first request asks for nothing yet, so that null is no verdict', () => {
  expect(anthropicAnswer(null, null)).toEqual(['msg_2', undefined]);
});

test.each([
  [{ type: 'cache_hit' }, { verdict: 'same' }],
  [
    { type: 'cache_miss', reason: 'input_changed', cache_missed_tokens: 7, comparison_reusable_tokens: 9 },
    { verdict: 'changed', reason: 'input_changed', missedTokens: 7 },
  ],
  [{ type: 'comparison_response_not_found' }, { verdict: 'unknown', reason: 'comparison_response_not_found' }],
  [{ type: 'unavailable' }, { verdict: 'unknown', reason: 'unavailable' }],
  [undefined, undefined],
])('OpenAI says %j: that is %j', (said, expected) => {
  const usage = { input_tokens: 5, output_tokens: 1 };
  const response = { id: 'resp_2', usage, ...(said === undefined ? {} : { prompt_cache_diagnostics: said }) };
  const chunks = [
    { type: 'response.output_item.done', item: { type: 'message', content: [{ type: 'output_text', text: 'hi' }] } },
    { type: 'response.completed', response },
  ] as readonly JsonObject[];
  expect(lastOf(chunks, namingDecoder)).toEqual(['resp_2', expected]);
});
