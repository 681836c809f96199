import { expect, test } from '@jest/globals';
import { judgeAnthropic } from '../../src/judge/judge-anthropic.ts';
import { signatureOf } from '../../src/speak/signature.ts';

const user = (content: unknown) => ({ role: 'user', content });
const assistant = (...content: unknown[]) => ({ role: 'assistant', content });
const text = (words: string, more: object = {}) => ({ type: 'text', text: words, ...more });
const call = (id: string, input: unknown = {}) => ({ type: 'tool_use', id, name: 'read', input });
const result = (id: string, more: object = {}) => ({ type: 'tool_result', tool_use_id: id, content: 'ok', ...more });
const thought = (thinking: string, signature = signatureOf(thinking)) => ({ type: 'thinking', thinking, signature });
const mark = { cache_control: { type: 'ephemeral' } };
const hourMark = { cache_control: { type: 'ephemeral', ttl: '1h' } };
const hi = user('hi');
const tool = (name: string) => ({ name, description: 'x', input_schema: { type: 'object' } });

/** The gateway has said, as `sim`: call `t1` after the reasoning "Hm." */
const issued = {
  reasoningOf: (id: string, model: string) => (id === 't1' && model === 'sim' ? 'Hm.' : undefined),
  itemOf: () => undefined,
};
const judge = (messages: unknown, more: object = {}) =>
  judgeAnthropic({ model: 'sim', max_tokens: 10, messages, ...more }, issued, {})?.message ?? 'accepted';

test.each<[string, unknown, object?]>([
  ['plain text', [hi]],
  ['blocks, system blocks and tools', [user([text('hi')])], { system: [text('be good', mark)], tools: [tool('read')] }],
  ['a call with its result, words behind it', [hi, assistant(call('a')), user([result('a'), text('go on')])]],
  ['two calls with two results', [hi, assistant(call('a'), call('b')), user([result('b'), result('a')])]],
  ['an empty result', [hi, assistant(call('a')), user([result('a', { content: '' })])]],
  ['four marks', [user([text('a', mark), text('b', mark), text('c', mark)])], { system: [text('s', mark)] }],
  ['an hour before five minutes', [user([text('a', mark)])], { system: [text('s', hourMark)] }],
  ['the reasoning of a tool loop, unharmed', [hi, assistant(thought('Hm.'), call('t1')), user([result('t1')])]],
  [
    'the reasoning of another model left out',
    [hi, assistant(call('t1')), user([result('t1'), text('go on')])],
    { model: 'other' },
  ],
  [
    'reasoning left out behind the loop',
    [hi, assistant(call('t1')), user([result('t1')]), assistant(text('x')), user('next')],
  ],
])('accepts %s', (_name, messages, more = {}) => {
  expect(judge(messages, more)).toBe('accepted');
});

test.each<[string, unknown, object, string]>([
  ['no max_tokens', [hi], { max_tokens: undefined }, 'max_tokens: Field required'],
  ['an unknown field', [hi], { seed: 1 }, 'seed: Extra inputs are not permitted'],
  ['no messages', [], {}, 'messages: at least one message is required'],
  ['an assistant first', [assistant(text('x')), hi], {}, 'messages: first message must use the "user" role'],
  [
    'two users in a row',
    [hi, hi],
    {},
    'messages: roles must alternate between "user" and "assistant", but found multiple "user" roles in a row',
  ],
  [
    'a prefill',
    [hi, assistant(text('x'))],
    {},
    'This model does not support assistant message prefill. The conversation must end with a user message.',
  ],
  [
    'empty content',
    [hi, assistant(), hi],
    {},
    'messages.1: all messages must have non-empty content except for the optional final assistant message',
  ],
  ['an empty text', [user([text('')])], {}, 'messages: text content blocks must be non-empty'],
  ['only spaces', [user(' \n')], {}, 'messages: text content blocks must contain non-whitespace text'],
  ['an empty system text', [hi], { system: [text('')] }, 'system: text content blocks must be non-empty'],
  ['a field of ours in a message', [{ ...hi, id: 1 }], {}, 'messages.0.id: Extra inputs are not permitted'],
  [
    'a field of ours in a block',
    [user([text('x', { seq: 1 })])],
    {},
    'messages.0.content.0.text.seq: Extra inputs are not permitted',
  ],
  [
    'a call of the user',
    [user([call('a')])],
    {},
    "messages.0.content.0: Input tag 'tool_use' found using 'type' does not match any of the expected tags",
  ],
  [
    'a call without result',
    [hi, assistant(call('a'), call('b')), user([result('a')])],
    {},
    'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: b. Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
  ],
  [
    'words before a result',
    [hi, assistant(call('a')), user([text('x'), result('a')])],
    {},
    'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a. Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
  ],
  [
    'a result without call',
    [hi, assistant(text('x')), user([result('z')])],
    {},
    'messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: z. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
  ],
  [
    'two results of one call',
    [hi, assistant(call('a')), user([result('a'), result('a')])],
    {},
    'messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a',
  ],
  [
    'the same id twice (F-13)',
    [hi, assistant(call('a')), user([result('a')]), assistant(call('a')), user([result('a')])],
    {},
    'messages.3.content.0: `tool_use` ids must be unique',
  ],
  [
    'a strange id',
    [hi, assistant(call('a.b')), user([result('a.b')])],
    {},
    "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
  ],
  [
    'input that is a text (F-09)',
    [hi, assistant(call('a', '{"pa')), user([result('a')])],
    {},
    'messages.1.content.0.tool_use.input: Input should be a valid dictionary',
  ],
  [
    'five marks',
    [user([text('a', mark), text('b', mark), text('c', mark)])],
    { system: [text('s', mark)], tools: [{ ...tool('read'), ...mark }] },
    'A maximum of 4 blocks with cache_control may be provided. Found 5.',
  ],
  [
    'five minutes before an hour',
    [user([text('a', hourMark)])],
    { system: [text('s', mark)] },
    "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.",
  ],
  [
    'a mark on thinking',
    [hi, assistant({ ...thought('Hm.'), ...mark }, call('t1')), user([result('t1')])],
    {},
    'messages.1.content.0.thinking.cache_control: Extra inputs are not permitted',
  ],
  [
    'thinking with another text',
    [hi, assistant(thought('Ha!', signatureOf('Hm.')), call('t1')), user([result('t1')])],
    {},
    'messages.1.content.0: Invalid `signature` in `thinking` block',
  ],
  [
    'thinking of another answer in a tool loop',
    [hi, assistant(thought('Other.'), call('t1')), user([result('t1')])],
    {},
    'messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.',
  ],
  [
    'thinking left out in a tool loop',
    [hi, assistant(call('t1')), user([result('t1')])],
    {},
    'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block.',
  ],
  ['two tools of one name', [hi], { tools: [tool('a'), tool('a')] }, 'tools: Tool names must be unique.'],
  ['a tool without schema', [hi], { tools: [{ name: 'a' }] }, 'tools.0.custom.input_schema: Field required'],
  [
    'a forced tool while thinking',
    [hi],
    { max_tokens: 5000, thinking: { type: 'enabled', budget_tokens: 2000 }, tool_choice: { type: 'any' } },
    'Thinking may not be enabled when tool_choice forces tool use.',
  ],
])('refuses %s', (_name, messages, more, words) => {
  expect(judge(messages, more)).toBe(words);
});

test('how reasoning with an edited prefix is dropped has one shape, under the name of its trial', () => {
  const beta = { 'anthropic-beta': 'other-2026, thinking-binding-controls-2026-08-01' };
  const judged = (thinking: object, headers: Record<string, string> = beta) =>
    judgeAnthropic({ model: 'sim', max_tokens: 10, messages: [hi], thinking }, issued, headers)?.message ?? 'accepted';
  const drop = { prefix_mismatch_behavior: 'drop_block' };
  expect(judged({ type: 'adaptive', block_binding: drop })).toBe('accepted');
  expect(judged({ type: 'adaptive' }, {})).toBe('accepted');
  expect([
    judged({ type: 'adaptive', block_binding: drop }, {}),
    judged({ type: 'between_tools', block_binding: drop }),
    judged({ type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop' } }),
    judged({ type: 'adaptive', block_binding: { ...drop, more: 1 } }),
    judged({ type: 'adaptive', block_binding: 'drop_block' }),
  ]).toEqual([
    'thinking.adaptive.block_binding: Extra inputs are not permitted',
    'thinking.between_tools.block_binding: Extra inputs are not permitted',
    "thinking.adaptive.block_binding.prefix_mismatch_behavior: Input should be 'drop_block'",
    'thinking.adaptive.block_binding.more: Extra inputs are not permitted',
    "thinking.adaptive.block_binding.prefix_mismatch_behavior: Input should be 'drop_block'",
  ]);
});
