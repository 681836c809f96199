/** A recorded Responses stream, written by hand after OpenAI's documented events (openai 6.49.0 types, 2026-11). */
import type { JsonObject, JsonValue } from '@zerd/protocol/common/json';

/** Frames as OpenAI sends them: the event's name is the type, numbered, and no closing mark. */
export function responsesSse(chunks: readonly JsonValue[]): string {
  return chunks
    .map((chunk, i) => {
      const numbered = { ...(chunk as JsonObject), sequence_number: i };
      return `event: ${(chunk as { type: string }).type}\ndata: ${JSON.stringify(numbered)}\n\n`;
    })
    .join('');
}

export const reasoningItem: JsonObject = {
  id: 'rs_1',
  type: 'reasoning',
  summary: [{ type: 'summary_text', text: 'Look first.' }],
  encrypted_content: 'gAAAAA==',
};

export const messageItem: JsonObject = {
  id: 'msg_1',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  phase: 'commentary',
  content: [{ type: 'output_text', text: 'Grüße 世界 😀', annotations: [], logprobs: [] }],
};

export const callItem: JsonObject = {
  id: 'fc_1',
  type: 'function_call',
  status: 'completed',
  call_id: 'call_a',
  name: 'read',
  arguments: '{"path": "a.ts"}',
};

const response: JsonObject = {
  id: 'resp_1',
  object: 'response',
  model: 'gpt-6.2-sol',
  status: 'in_progress',
  output: [],
};

export const usage: JsonObject = {
  input_tokens: 2312,
  input_tokens_details: { cached_tokens: 2000, cache_write_tokens: 300 },
  output_tokens: 57,
  output_tokens_details: { reasoning_tokens: 20 },
  total_tokens: 2369,
};

/** Reasoning with a summary, a word with characters of two, three and four bytes, and a call. */
export const responsesChunks: readonly JsonValue[] = [
  { type: 'response.created', response },
  { type: 'response.in_progress', response },
  {
    type: 'response.output_item.added',
    output_index: 0,
    item: { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'gAAA' },
  },
  {
    type: 'response.reasoning_summary_part.added',
    item_id: 'rs_1',
    output_index: 0,
    summary_index: 0,
    part: { type: 'summary_text', text: '' },
  },
  {
    type: 'response.reasoning_summary_text.delta',
    item_id: 'rs_1',
    output_index: 0,
    summary_index: 0,
    delta: 'Look ',
  },
  {
    type: 'response.reasoning_summary_text.delta',
    item_id: 'rs_1',
    output_index: 0,
    summary_index: 0,
    delta: 'first.',
  },
  {
    type: 'response.reasoning_summary_text.done',
    item_id: 'rs_1',
    output_index: 0,
    summary_index: 0,
    text: 'Look first.',
  },
  { type: 'response.output_item.done', output_index: 0, item: reasoningItem },
  {
    type: 'response.output_item.added',
    output_index: 1,
    item: { ...messageItem, status: 'in_progress', content: [] },
  },
  {
    type: 'response.content_part.added',
    item_id: 'msg_1',
    output_index: 1,
    content_index: 0,
    part: { type: 'output_text', text: '', annotations: [] },
  },
  { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 1, content_index: 0, delta: 'Grüße 世' },
  { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 1, content_index: 0, delta: '界 😀' },
  {
    type: 'response.output_text.done',
    item_id: 'msg_1',
    output_index: 1,
    content_index: 0,
    text: 'Grüße 世界 😀',
  },
  { type: 'response.output_item.done', output_index: 1, item: messageItem },
  {
    type: 'response.output_item.added',
    output_index: 2,
    item: { ...callItem, status: 'in_progress', arguments: '' },
  },
  { type: 'response.function_call_arguments.delta', item_id: 'fc_1', output_index: 2, delta: '{"path": "a' },
  { type: 'response.function_call_arguments.delta', item_id: 'fc_1', output_index: 2, delta: '.ts"}' },
  {
    type: 'response.function_call_arguments.done',
    item_id: 'fc_1',
    output_index: 2,
    arguments: '{"path": "a.ts"}',
  },
  { type: 'response.output_item.done', output_index: 2, item: callItem },
  {
    type: 'response.completed',
    response: { ...response, status: 'completed', output: [reasoningItem, messageItem, callItem], usage },
  },
];
