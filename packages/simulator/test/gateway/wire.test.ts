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
  gateway = await startGateway({ player: scriptPlayer([step]), clock: { now: () => 1_700_000_000_000 } });
  const headers = { 'content-type': 'application/json', 'x-api-key': 'k', 'anthropic-version': '2023-06-01' };
  const response = await fetch(gateway.origin + path, { method: 'POST', headers, body: JSON.stringify(body) });
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
const responsesBody = { model: 'sim', store: false, input: 'hi' };
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

test('a streamed answer of the Responses wire is written exactly so', async () => {
  const answer = await ask('/v1/responses', { ...responsesBody, stream: true });
  expect({ status: answer.status, type: answer.type }).toEqual({
    status: 200,
    type: 'text/event-stream; charset=utf-8',
  });
  expect(answer.text).toMatchInlineSnapshot(`
   "event: response.created
   data: {"type":"response.created","sequence_number":0,"response":{"id":"resp_sim_1","object":"response","created_at":1700000000,"status":"in_progress","background":false,"error":null,"incomplete_details":null,"instructions":null,"max_output_tokens":null,"model":"sim","output":[],"parallel_tool_calls":true,"previous_response_id":null,"reasoning":{"effort":null,"summary":null},"store":false,"temperature":1,"text":{"format":{"type":"text"}},"tool_choice":"auto","tools":[],"top_p":1,"truncation":"disabled","usage":null,"user":null,"metadata":{}}}

   event: response.in_progress
   data: {"type":"response.in_progress","sequence_number":1,"response":{"id":"resp_sim_1","object":"response","created_at":1700000000,"status":"in_progress","background":false,"error":null,"incomplete_details":null,"instructions":null,"max_output_tokens":null,"model":"sim","output":[],"parallel_tool_calls":true,"previous_response_id":null,"reasoning":{"effort":null,"summary":null},"store":false,"temperature":1,"text":{"format":{"type":"text"}},"tool_choice":"auto","tools":[],"top_p":1,"truncation":"disabled","usage":null,"user":null,"metadata":{}}}

   event: response.output_item.added
   data: {"type":"response.output_item.added","sequence_number":2,"output_index":0,"item":{"id":"rs_sim_1","type":"reasoning","summary":[],"encrypted_content":"gAAAAABzSuKF0aKJcxAzxHjhxPiIQYpbpAGQ-R9S9FEGKup7bs=="}}

   event: response.reasoning_summary_part.added
   data: {"type":"response.reasoning_summary_part.added","sequence_number":3,"item_id":"rs_sim_1","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}}

   event: response.reasoning_summary_text.delta
   data: {"type":"response.reasoning_summary_text.delta","sequence_number":4,"item_id":"rs_sim_1","output_index":0,"summary_index":0,"delta":"Look first."}

   event: response.reasoning_summary_text.done
   data: {"type":"response.reasoning_summary_text.done","sequence_number":5,"item_id":"rs_sim_1","output_index":0,"summary_index":0,"text":"Look first."}

   event: response.reasoning_summary_part.done
   data: {"type":"response.reasoning_summary_part.done","sequence_number":6,"item_id":"rs_sim_1","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":"Look first."}}

   event: response.output_item.done
   data: {"type":"response.output_item.done","sequence_number":7,"output_index":0,"item":{"id":"rs_sim_1","type":"reasoning","summary":[{"type":"summary_text","text":"Look first."}],"encrypted_content":"gAAAAABhaoMYr1vOrNY3WCVve-Dod27okpQUob81O8uT48Dw5I=="}}

   event: response.output_item.added
   data: {"type":"response.output_item.added","sequence_number":8,"output_index":1,"item":{"id":"msg_sim_1","type":"message","status":"in_progress","content":[],"phase":"commentary","role":"assistant"}}

   event: response.content_part.added
   data: {"type":"response.content_part.added","sequence_number":9,"item_id":"msg_sim_1","output_index":1,"content_index":0,"part":{"type":"output_text","annotations":[],"logprobs":[],"text":""}}

   event: response.output_text.delta
   data: {"type":"response.output_text.delta","sequence_number":10,"item_id":"msg_sim_1","output_index":1,"content_index":0,"delta":"I read “a.ts”.","logprobs":[]}

   event: response.output_text.done
   data: {"type":"response.output_text.done","sequence_number":11,"item_id":"msg_sim_1","output_index":1,"content_index":0,"text":"I read “a.ts”.","logprobs":[]}

   event: response.content_part.done
   data: {"type":"response.content_part.done","sequence_number":12,"item_id":"msg_sim_1","output_index":1,"content_index":0,"part":{"type":"output_text","annotations":[],"logprobs":[],"text":"I read “a.ts”."}}

   event: response.output_item.done
   data: {"type":"response.output_item.done","sequence_number":13,"output_index":1,"item":{"id":"msg_sim_1","type":"message","status":"completed","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"I read “a.ts”."}],"phase":"commentary","role":"assistant"}}

   event: response.output_item.added
   data: {"type":"response.output_item.added","sequence_number":14,"output_index":2,"item":{"id":"fc_sim_1_1","type":"function_call","status":"in_progress","arguments":"","call_id":"call_sim_1_1","name":"read"}}

   event: response.function_call_arguments.delta
   data: {"type":"response.function_call_arguments.delta","sequence_number":15,"item_id":"fc_sim_1_1","output_index":2,"delta":"{\\"path\\":\\"a.ts\\"}"}

   event: response.function_call_arguments.done
   data: {"type":"response.function_call_arguments.done","sequence_number":16,"item_id":"fc_sim_1_1","output_index":2,"name":"read","arguments":"{\\"path\\":\\"a.ts\\"}"}

   event: response.output_item.done
   data: {"type":"response.output_item.done","sequence_number":17,"output_index":2,"item":{"id":"fc_sim_1_1","type":"function_call","status":"completed","arguments":"{\\"path\\":\\"a.ts\\"}","call_id":"call_sim_1_1","name":"read"}}

   event: response.completed
   data: {"type":"response.completed","sequence_number":18,"response":{"id":"resp_sim_1","object":"response","created_at":1700000000,"status":"completed","background":false,"error":null,"incomplete_details":null,"instructions":null,"max_output_tokens":null,"model":"sim","output":[{"id":"rs_sim_1","type":"reasoning","summary":[{"type":"summary_text","text":"Look first."}],"encrypted_content":"gAAAAABhaoMYr1vOrNY3WCVve-Dod27okpQUob81O8uT48Dw5I=="},{"id":"msg_sim_1","type":"message","status":"completed","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"I read “a.ts”."}],"phase":"commentary","role":"assistant"},{"id":"fc_sim_1_1","type":"function_call","status":"completed","arguments":"{\\"path\\":\\"a.ts\\"}","call_id":"call_sim_1_1","name":"read"}],"parallel_tool_calls":true,"previous_response_id":null,"reasoning":{"effort":null,"summary":null},"store":false,"temperature":1,"text":{"format":{"type":"text"}},"tool_choice":"auto","tools":[],"top_p":1,"truncation":"disabled","usage":{"input_tokens":7,"input_tokens_details":{"cached_tokens":0,"cache_write_tokens":0},"output_tokens":9,"output_tokens_details":{"reasoning_tokens":3},"total_tokens":16},"user":null,"metadata":{}}}

   "
  `);
});

test('a whole answer of the Responses wire has the same items', async () => {
  expect(JSON.parse((await ask('/v1/responses', responsesBody)).text)).toMatchInlineSnapshot(`
   {
     "background": false,
     "created_at": 1700000000,
     "error": null,
     "id": "resp_sim_1",
     "incomplete_details": null,
     "instructions": null,
     "max_output_tokens": null,
     "metadata": {},
     "model": "sim",
     "object": "response",
     "output": [
       {
         "encrypted_content": "gAAAAABhaoMYr1vOrNY3WCVve-Dod27okpQUob81O8uT48Dw5I==",
         "id": "rs_sim_1",
         "summary": [
           {
             "text": "Look first.",
             "type": "summary_text",
           },
         ],
         "type": "reasoning",
       },
       {
         "content": [
           {
             "annotations": [],
             "logprobs": [],
             "text": "I read “a.ts”.",
             "type": "output_text",
           },
         ],
         "id": "msg_sim_1",
         "phase": "commentary",
         "role": "assistant",
         "status": "completed",
         "type": "message",
       },
       {
         "arguments": "{"path":"a.ts"}",
         "call_id": "call_sim_1_1",
         "id": "fc_sim_1_1",
         "name": "read",
         "status": "completed",
         "type": "function_call",
       },
     ],
     "parallel_tool_calls": true,
     "previous_response_id": null,
     "reasoning": {
       "effort": null,
       "summary": null,
     },
     "status": "completed",
     "store": false,
     "temperature": 1,
     "text": {
       "format": {
         "type": "text",
       },
     },
     "tool_choice": "auto",
     "tools": [],
     "top_p": 1,
     "truncation": "disabled",
     "usage": {
       "input_tokens": 7,
       "input_tokens_details": {
         "cache_write_tokens": 0,
         "cached_tokens": 0,
       },
       "output_tokens": 9,
       "output_tokens_details": {
         "reasoning_tokens": 3,
       },
       "total_tokens": 16,
     },
     "user": null,
   }
  `);
});

test('an answer that hits a limit ends as incomplete, its last item too', async () => {
  gateway = await startGateway({
    player: scriptPlayer([
      { text: 'I wi', stop: 'maxTokens' },
      { text: 'No.', stop: 'refusal' },
    ]),
  });
  const ends: unknown[] = [];
  for (const _ of [1, 2]) {
    const response = await fetch(`${gateway.origin}/v1/responses`, {
      method: 'POST',
      headers: { authorization: 'Bearer k' },
      body: JSON.stringify({ ...responsesBody, stream: true }),
    });
    const last = (await response.text()).trim().split('\n').at(-1) ?? '';
    ends.push(JSON.parse(last.slice('data: '.length)));
  }
  expect(ends).toMatchObject(
    ['max_output_tokens', 'content_filter'].map((reason) => ({
      type: 'response.incomplete',
      response: {
        status: 'incomplete',
        incomplete_details: { reason },
        output: [{ status: 'incomplete' }],
      },
    })),
  );
});
