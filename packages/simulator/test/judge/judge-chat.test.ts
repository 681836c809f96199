import { expect, test } from '@jest/globals';
import { judgeChat } from '../../src/judge/judge-chat.ts';

const user = (content: unknown) => ({ role: 'user', content });
const calls = (...ids: string[]) => ({ role: 'assistant', content: null, tool_calls: ids.map((id) => call(id)) });
const call = (id: string, args: unknown = '{}') => ({
  id,
  type: 'function',
  function: { name: 'read', arguments: args },
});
const result = (id: string, content = 'ok') => ({ role: 'tool', tool_call_id: id, content });
const hi = user('hi');
const issued = { reasoningOf: () => undefined, itemOf: () => undefined };
const judge = (messages: unknown, more: object = {}) =>
  judgeChat({ model: 'sim', messages, ...more }, issued, {})?.message ?? 'accepted';

test.each<[string, unknown, object?]>([
  ['plain text', [{ role: 'system', content: 's' }, hi]],
  ['several users in a row', [hi, hi]],
  ['calls with their results in any order', [hi, calls('a', 'b'), result('b'), result('a', ''), hi]],
  ['reasoning that comes back', [hi, { ...calls('a'), reasoning_content: 'Hm.' }, result('a')]],
  ['usage asked for in a stream', [hi], { stream: true, stream_options: { include_usage: true } }],
])('accepts %s', (_name, messages, more = {}) => {
  expect(judge(messages, more)).toBe('accepted');
});

const unanswered = (ids: string) =>
  `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids}`;
const alone =
  "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";

test.each<[string, unknown, object, string]>([
  ['no model', [hi], { model: undefined }, 'you must provide a model parameter'],
  ['no messages', undefined, {}, "Missing required parameter: 'messages'."],
  [
    'empty messages',
    [],
    {},
    "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
  ],
  ['an unknown parameter', [hi], { system: 's' }, "Unknown parameter: 'system'."],
  [
    'an unknown role',
    [{ role: 'model', content: 'x' }],
    {},
    "Invalid value: 'model'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
  ],
  ['no content', [user(null)], {}, "Invalid value for 'content': expected a string, got null."],
  ['empty content', [user('')], {}, "Invalid value for 'content': expected a string, got an empty one."],
  ['a call without result', [hi, calls('a', 'b'), result('a')], {}, unanswered('b')],
  ['a user between call and result', [hi, calls('a'), hi, result('a')], {}, unanswered('a')],
  ['a result without call', [hi, result('a')], {}, alone],
  ['a result twice', [hi, calls('a'), result('a'), result('a')], {}, alone],
  [
    'the same id twice (F-13)',
    [hi, calls('a'), result('a'), calls('a'), result('a')],
    {},
    "Duplicate value for 'tool_call_id' of 'a' in message[3]",
  ],
  [
    'arguments that are no JSON (F-09)',
    [hi, { role: 'assistant', tool_calls: [call('a', '{"pa')] }, result('a')],
    {},
    "Invalid 'messages[1].tool_calls[0].function.arguments': expected the text of a JSON object.",
  ],
  [
    'arguments that are no text',
    [hi, { role: 'assistant', tool_calls: [call('a', {})] }, result('a')],
    {},
    "Invalid type for 'messages[1].tool_calls[0].function.arguments': expected a string.",
  ],
  [
    'stream options without stream',
    [hi],
    { stream_options: {} },
    "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
  ],
  [
    'a long cache key',
    [hi],
    { prompt_cache_key: 'x'.repeat(65) },
    "Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64.",
  ],
])('refuses %s', (_name, messages, more, words) => {
  expect(judge(messages, more)).toBe(words);
});
