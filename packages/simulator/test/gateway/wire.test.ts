/** The exact text of a small answer on each wire, streamed and whole. */
import { afterEach, expect, test } from '@jest/globals';
import { type Gateway, startGateway } from '../../src/gateway/start.ts';
import type { Step } from '../../src/players/player.ts';
import { scriptPlayer } from '../../src/players/script.ts';

let gateway: Gateway | undefined;
afterEach(() => gateway?.close());

const step: Step = {
  reasoning: 'Look first.',
  text: 'I read “a.ts”.',
  calls: [{ name: 'read', input: { path: 'a.ts' } }],
  usage: { uncached: 7, output: 9 },
};

async function ask(path: string, body: object): Promise<{ status: number; type: string | null; text: string }> {
  gateway = await startGateway({
    player: scriptPlayer([step]),
    clock: { now: () => 1_700_000_000_000 },
  });
  const headers = {
    'content-type': 'application/json',
    'x-api-key': 'k',
    'anthropic-version': '2023-06-01',
  };
  const response = await fetch(gateway.origin + path, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    text: await response.text(),
  };
}

const anthropicBody = {
  model: 'sim',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'hi' }],
};
const chatBody = { model: 'sim', messages: [{ role: 'user', content: 'hi' }] };

test('a streamed answer of the Messages wire is written exactly so', async () => {
  const answer = await ask('/v1/messages', { ...anthropicBody, stream: true });
  expect({ status: answer.status, type: answer.type }).toEqual({
    status: 200,
    type: 'text/event-stream; charset=utf-8',
  });
  expect(answer.text).toMatchInlineSnapshot(`
   "event: message_start
   data: {"type":"message_start","message":{"id":"msg_sim_1","type":"message","role":"assistant","model":"sim","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":7,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"output_tokens":1}}}

   event: content_block_start
   data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

   event: ping
   data: {"type":"ping"}

   event: content_block_delta
   data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Look first."}}

   event: content_block_delta
   data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"nbM3U92D0sr06IVosEsXI8TXJ4Uvk/6SaGaeRVzuolY="}}

   event: content_block_stop
   data: {"type":"content_block_stop","index":0}

   event: content_block_start
   data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}

   event: content_block_delta
   data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"I read “a.ts”."}}

   event: content_block_stop
   data: {"type":"content_block_stop","index":1}

   event: content_block_start
   data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_sim_1_1","name":"read","input":{}}}

   event: content_block_delta
   data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":""}}

   event: content_block_delta
   data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\\"path\\":\\"a.ts\\"}"}}

   event: content_block_stop
   data: {"type":"content_block_stop","index":2}

   event: message_delta
   data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"input_tokens":7,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"output_tokens":9}}

   event: message_stop
   data: {"type":"message_stop"}

   "
  `);
});

test('a whole answer of the Messages wire has the same blocks', async () => {
  expect(JSON.parse((await ask('/v1/messages', anthropicBody)).text)).toMatchInlineSnapshot(`
   {
     "content": [
       {
         "signature": "nbM3U92D0sr06IVosEsXI8TXJ4Uvk/6SaGaeRVzuolY=",
         "thinking": "Look first.",
         "type": "thinking",
       },
       {
         "text": "I read “a.ts”.",
         "type": "text",
       },
       {
         "id": "toolu_sim_1_1",
         "input": {
           "path": "a.ts",
         },
         "name": "read",
         "type": "tool_use",
       },
     ],
     "id": "msg_sim_1",
     "model": "sim",
     "role": "assistant",
     "stop_reason": "tool_use",
     "stop_sequence": null,
     "type": "message",
     "usage": {
       "cache_creation": {
         "ephemeral_1h_input_tokens": 0,
         "ephemeral_5m_input_tokens": 0,
       },
       "cache_creation_input_tokens": 0,
       "cache_read_input_tokens": 0,
       "input_tokens": 7,
       "output_tokens": 9,
     },
   }
  `);
});

test('a streamed answer of the chat wire is written exactly so', async () => {
  const answer = await ask('/v1/chat/completions', {
    ...chatBody,
    stream: true,
    stream_options: { include_usage: true },
  });
  expect({ status: answer.status, type: answer.type }).toEqual({
    status: 200,
    type: 'text/event-stream; charset=utf-8',
  });
  expect(answer.text).toMatchInlineSnapshot(`
   "data: {"id":"chatcmpl-sim-1","object":"chat.completion.chunk","created":1700000000,"model":"sim","choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}],"usage":null}

   data: {"id":"chatcmpl-sim-1","object":"chat.completion.chunk","created":1700000000,"model":"sim","choices":[{"index":0,"delta":{"reasoning_content":"Look first."},"logprobs":null,"finish_reason":null}],"usage":null}

   data: {"id":"chatcmpl-sim-1","object":"chat.completion.chunk","created":1700000000,"model":"sim","choices":[{"index":0,"delta":{"content":"I read “a.ts”."},"logprobs":null,"finish_reason":null}],"usage":null}

   data: {"id":"chatcmpl-sim-1","object":"chat.completion.chunk","created":1700000000,"model":"sim","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_sim_1_1","type":"function","function":{"name":"read","arguments":""}}]},"logprobs":null,"finish_reason":null}],"usage":null}

   data: {"id":"chatcmpl-sim-1","object":"chat.completion.chunk","created":1700000000,"model":"sim","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\\"path\\":\\"a.ts\\"}"}}]},"logprobs":null,"finish_reason":null}],"usage":null}

   data: {"id":"chatcmpl-sim-1","object":"chat.completion.chunk","created":1700000000,"model":"sim","choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"tool_calls"}],"usage":null}

   data: {"id":"chatcmpl-sim-1","object":"chat.completion.chunk","created":1700000000,"model":"sim","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":9,"total_tokens":16,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":3}}}

   data: [DONE]

   "
  `);
});

test('without include_usage the chat stream says nothing of usage', async () => {
  const answer = await ask('/v1/chat/completions', {
    ...chatBody,
    stream: true,
  });
  expect(answer.text).not.toContain('usage');
});

test('a whole answer of the chat wire has the same parts', async () => {
  expect(JSON.parse((await ask('/v1/chat/completions', chatBody)).text)).toMatchInlineSnapshot(`
   {
     "choices": [
       {
         "finish_reason": "tool_calls",
         "index": 0,
         "logprobs": null,
         "message": {
           "content": "I read “a.ts”.",
           "reasoning_content": "Look first.",
           "role": "assistant",
           "tool_calls": [
             {
               "function": {
                 "arguments": "{"path":"a.ts"}",
                 "name": "read",
               },
               "id": "call_sim_1_1",
               "type": "function",
             },
           ],
         },
       },
     ],
     "created": 1700000000,
     "id": "chatcmpl-sim-1",
     "model": "sim",
     "object": "chat.completion",
     "usage": {
       "completion_tokens": 9,
       "completion_tokens_details": {
         "reasoning_tokens": 3,
       },
       "prompt_tokens": 7,
       "prompt_tokens_details": {
         "cached_tokens": 0,
       },
       "total_tokens": 16,
     },
   }
  `);
});
