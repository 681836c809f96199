/** Recorded streams, written by hand after the vendors' documented forms, and the ways in which servers bend them. */
import type { JsonValue } from '@zerd/protocol/common/json';

/** Frames as Anthropic sends them: the event's name is the type. */
export function anthropicSse(chunks: readonly JsonValue[]): string {
  return chunks
    .map((chunk) => `event: ${(chunk as { type: string }).type}\ndata: ${JSON.stringify(chunk)}\n\n`)
    .join('');
}

/** Frames as OpenAI sends them, with the closing mark. */
export function chatSse(chunks: readonly JsonValue[], done = true): string {
  return chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('') + (done ? 'data: [DONE]\n\n' : '');
}

/** Reasoning, a word with characters of two, three and four bytes, and a call. */
export const anthropicChunks: readonly JsonValue[] = [
  {
    type: 'message_start',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-5-5',
      content: [],
      stop_reason: null,
      usage: {
        input_tokens: 12,
        cache_creation_input_tokens: 300,
        cache_read_input_tokens: 2000,
        cache_creation: { ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 100 },
        output_tokens: 1,
      },
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
  { type: 'ping' },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Look ' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'first.' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'EqQBCg==' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'content_block_start', index: 1, content_block: { type: 'redacted_thinking', data: 'b3BhcXVl' } },
  { type: 'content_block_stop', index: 1 },
  { type: 'content_block_start', index: 2, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 2, delta: { type: 'text_delta', text: 'Grüße 世' } },
  { type: 'content_block_delta', index: 2, delta: { type: 'text_delta', text: '界 😀' } },
  { type: 'content_block_stop', index: 2 },
  {
    type: 'content_block_start',
    index: 3,
    content_block: { type: 'tool_use', id: 'toolu_1', name: 'read', input: {} },
  },
  { type: 'content_block_delta', index: 3, delta: { type: 'input_json_delta', partial_json: '' } },
  { type: 'content_block_delta', index: 3, delta: { type: 'input_json_delta', partial_json: '{"path": "a' } },
  { type: 'content_block_delta', index: 3, delta: { type: 'input_json_delta', partial_json: '.ts"}' } },
  { type: 'content_block_stop', index: 3 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'tool_use', stop_sequence: null },
    usage: { output_tokens: 57, output_tokens_details: { thinking_tokens: 20 } },
  },
  { type: 'message_stop' },
];

function chatChunk(delta: JsonValue, finish: string | null = null): JsonValue {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1764000000,
    model: 'gpt-5.5',
    choices: [{ index: 0, delta, finish_reason: finish }],
    usage: null,
  };
}

/** Reasoning, text and two calls whose pieces alternate; usage comes after the finish. */
export const chatChunks: readonly JsonValue[] = [
  chatChunk({ role: 'assistant', content: '' }),
  chatChunk({ reasoning_content: 'Look ' }),
  chatChunk({ reasoning_content: 'first.' }),
  chatChunk({ content: 'Grüße 世' }),
  chatChunk({ content: '界 😀' }),
  chatChunk({ tool_calls: [{ index: 0, id: 'call_a', type: 'function', function: { name: 'read', arguments: '' } }] }),
  chatChunk({ tool_calls: [{ index: 0, function: { arguments: '{"path": "a' } }] }),
  chatChunk({
    tool_calls: [{ index: 1, id: 'call_b', type: 'function', function: { name: 'find', arguments: '{"pat' } }],
  }),
  chatChunk({ tool_calls: [{ index: 0, function: { arguments: '.ts"}' } }] }),
  chatChunk({ tool_calls: [{ index: 1, function: { arguments: 'tern":"*"}' } }] }),
  chatChunk({}, 'tool_calls'),
  {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1764000000,
    model: 'gpt-5.5',
    choices: [],
    usage: {
      prompt_tokens: 2312,
      completion_tokens: 57,
      total_tokens: 2369,
      prompt_tokens_details: { cached_tokens: 2000, cache_write_tokens: 300 },
      completion_tokens_details: { reasoning_tokens: 20 },
    },
  },
];
