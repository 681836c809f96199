import { expect, test } from '@jest/globals';
import { judgeResponses } from '../../src/judge/judge-responses.ts';
import { sealOf } from '../../src/speak/signature.ts';

const issued = { reasoningOf: () => undefined, itemOf: () => undefined };
const judge = (input: unknown, more: object = {}) =>
  judgeResponses({ model: 'sim', store: false, input, ...more }, issued, {})?.message ?? 'accepted';

const hi = { role: 'user', content: 'hi' };
const system = { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 's' }] };
const call = (call_id: string, more: object = {}) => ({
  type: 'function_call',
  call_id,
  name: 'read',
  arguments: '{}',
  ...more,
});
const output = (call_id: string, text: unknown = 'ok') => ({ type: 'function_call_output', call_id, output: text });
const thought = (id: string, text = 'Hm.', more: object = {}) => ({
  type: 'reasoning',
  id,
  summary: [{ type: 'summary_text', text }],
  encrypted_content: sealOf(text),
  ...more,
});
const said = (text: string, more: object = {}) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [] }],
  ...more,
});
const tool = { type: 'function', name: 'read', parameters: { type: 'object' }, strict: false };

test.each<[string, unknown, object?]>([
  ['a plain string', 'hi'],
  ['a leading developer item with tools', [system, hi], { tools: [tool], stream: true }],
  [
    'an explicit breakpoint',
    [{ ...system, content: [{ ...system.content[0], prompt_cache_breakpoint: { mode: 'explicit' } }] }, hi],
  ],
  ['a later developer item', [system, hi, said('So.'), system, hi]],
  ['calls with their outputs in any order', [hi, call('a'), call('b'), output('b'), said('So.'), output('a', '')]],
  ['an output in parts', [hi, call('a'), output('a', [{ type: 'input_text', text: 'x' }])]],
  ['reasoning before a call', [hi, thought('rs_1'), call('a', { id: 'fc_1', status: 'completed' }), output('a')]],
  [
    'reasoning twice before a message',
    [hi, thought('rs_1'), thought('rs_2'), said('So.', { phase: 'final_answer' }), hi],
  ],
  ['encrypted reasoning asked for', [hi], { include: ['reasoning.encrypted_content'], reasoning: { summary: 'auto' } }],
])('accepts %s', (_name, input, more = {}) => {
  expect(judge(input, more)).toBe('accepted');
});

const follows = (id: string) => `Item '${id}' of type 'reasoning' was provided without its required following item.`;

test.each<[string, unknown, object, string]>([
  ['no model', [hi], { model: undefined }, "Missing required parameter: 'model'."],
  ['no input', undefined, {}, "Missing required parameter: 'input'."],
  ['an empty input', [], {}, "Invalid 'input': expected a list of at least one item."],
  ['messages', [hi], { messages: [hi] }, "Unknown parameter: 'messages'."],
  ['max_tokens', [hi], { max_tokens: 5 }, "Unknown parameter: 'max_tokens'."],
  [
    'too little output',
    [hi],
    { max_output_tokens: 15 },
    "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 15 instead.",
  ],
  [
    'a long cache key',
    [hi],
    { prompt_cache_key: 'k'.repeat(65) },
    "Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
  ],
  ['a response before', [hi], { previous_response_id: 'resp_1' }, "Previous response with id 'resp_1' not found."],
  [
    'something else included',
    [hi],
    { include: ['all'] },
    "Invalid value: 'all'. Supported values are: 'reasoning.encrypted_content' and 'message.output_text.logprobs'.",
  ],
  [
    'a tool as chat has it',
    [hi],
    { tools: [{ type: 'function', function: tool }] },
    "Missing required parameter: 'tools[0].name'.",
  ],
  [
    'a strict tool with a lax schema',
    [system, hi],
    { tools: [{ ...tool, strict: true }] },
    "Invalid schema for function 'read': In context=(), 'additionalProperties' is required to be supplied and to be false.",
  ],
  [
    'an unknown item',
    [{ type: 'tool_result' }],
    {},
    "Invalid value: 'tool_result'. Supported values are: 'message', 'reasoning', 'function_call', 'function_call_output' and 'item_reference'.",
  ],
  ['an unknown field of an item', [{ ...hi, name: 'x' }], {}, "Unknown parameter: 'input[0].name'."],
  [
    'a part as chat has it',
    [{ role: 'user', content: [{ type: 'text', text: 'x' }] }],
    {},
    "Invalid value: 'text'. Supported values are: 'input_text', 'input_image' and 'input_file'.",
  ],
  [
    'input of the assistant',
    [hi, { role: 'assistant', content: [{ type: 'input_text', text: 'x' }] }],
    {},
    "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
  ],
  [
    'an id of another kind',
    [hi, call('a', { id: 'call_1' }), output('a')],
    {},
    "Invalid 'input[1].id': 'call_1'. Expected an ID that begins with 'fc'.",
  ],
  ['a call without output', [hi, call('a')], {}, 'No tool output found for function call a.'],
  ['an output without call', [hi, output('a')], {}, 'No tool call found for function call output with call_id a.'],
  [
    'an output before its call',
    [hi, output('a'), call('a')],
    {},
    'No tool call found for function call output with call_id a.',
  ],
  [
    'an output twice',
    [hi, call('a'), output('a'), output('a')],
    {},
    'No tool call found for function call output with call_id a.',
  ],
  [
    'a call id twice (F-13)',
    [hi, call('a'), output('a'), call('a'), output('a')],
    {},
    'Duplicate function call with call_id a.',
  ],
  [
    'an item twice',
    [hi, said('x', { id: 'msg_1' }), said('x', { id: 'msg_1' })],
    {},
    'Duplicate item found with id msg_1. Remove duplicate items from your input and try again.',
  ],
  [
    'arguments cut short (F-08)',
    [hi, call('a', { arguments: '{"pa' }), output('a')],
    {},
    "Invalid 'input[1].arguments': expected the text of a JSON object.",
  ],
  ['reasoning at the end', [hi, thought('rs_1')], {}, follows('rs_1')],
  ['reasoning before the user', [hi, thought('rs_1'), hi], {}, follows('rs_1')],
  ['reasoning before an output', [hi, call('a'), thought('rs_1'), output('a')], {}, follows('rs_1')],
  [
    'changed reasoning',
    [hi, thought('rs_1', 'Hm.', { summary: [] }), said('So.')],
    {},
    'The encrypted content gAAA... could not be verified. Reason: Encrypted content could not be decrypted or parsed.',
  ],
  [
    'a reference',
    [hi, { type: 'item_reference', id: 'msg_1' }],
    {},
    "Item with id 'msg_1' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.",
  ],
  ['storing', [hi], { store: undefined }, "Nothing may be stored: 'store' must be false."],
  ['instructions', [hi], { instructions: 's' }, "'instructions' are hardly cached: send a leading developer item."],
  [
    'tools without a system prompt before them',
    [hi, system],
    { tools: [tool] },
    'An agent that has tools sends its system prompt as the first developer item.',
  ],
])('refuses %s', (_name, input, more, message) => {
  expect(judge(input, more)).toBe(message);
});
