import { expect, test } from '@jest/globals';
import { findLeakedCalls } from '@zerd/core/model/leaked-call';
import { looksLikeCall } from '@zerd/core/model/leaked-call/suspect';
import { declareTools } from '@zerd/core/tools/declarations';
import fc from 'fast-check';

const tools = declareTools();

function check(text: string, expected: boolean): void {
  expect({ text, looks: looksLikeCall(text, tools), read: findLeakedCalls(text, tools) !== undefined }).toEqual({
    text,
    looks: expected,
    read: false,
  });
}

test.each<[string, string]>([
  ['broken JSON', '<tool_call>{"name":"read","arguments":{"path":"a.ts}}</tool_call>'],
  ['a tool that does not exist', 'Let me look.\n<tool_call>{"name":"bash","arguments":{"command":"ls"}}</tool_call>'],
  ['arguments that do not fit', '[TOOL_CALLS]read[ARGS]{"file":"a.ts"}'],
  ['a parameter that is not closed', '<tool_call>\n<function=read>\n<parameter=path>\na.ts\n</function>\n</tool_call>'],
  ['words behind the call', '<tool_call>{"name":"read","arguments":{"path":"a"}}</tool_call>\nand then\n</tool_call>'],
  ['an end of thinking in front', '</think>{"name":"reed","arguments":{"path":"a"}}</tool_call>'],
  ['DeepSeek, half', '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read<｜tool▁sep｜>{"path":"a"<｜tool▁call▁end｜>'],
  [
    'MiniMax, another tool',
    '<minimax:tool_call>\n<invoke name="exec">\n<parameter name="command">ls</parameter>\n</invoke>\n</minimax:tool_call>',
  ],
  [
    'Kimi, cut off',
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{"path":"a"}',
  ],
  ['bare JSON of a declared tool that does not fit', '{"name":"read","arguments":{"file":"a.ts"}}'],
  ['the same in a fence, as the whole message', '```json\n{"name": "read", "arguments": {"file": "a.ts"}}\n```'],
  ['as Python', '[read(file="a.ts")]'],
  ['ReAct', 'I should look.\nAction: read\nAction Input: {"file": "a.ts"}'],
])('a text that looks like a call and could not be read as one: %s', (_name, text) => {
  check(text, true);
});

test.each<[string, string]>([
  ['a plain answer', 'Done: the tests pass.'],
  ['a form named in a sentence', 'Qwen writes <tool_call> and <function=read> around its calls.'],
  ['an example in a fence', 'The form is\n```\n<tool_call>{"name":"x"}</tool_call>\n```'],
  ['an example in a fence at the end, not closed', 'The form is\n```xml\n<tool_call>{"name":"x"}</tool_call>'],
  ['an example with words behind it', 'It writes\n<tool_call>{"name":"x"}</tool_call>\nwhere a call should be.'],
  ['JSON that names no tool', '{"name":"zerd","version":"0.1.0"}'],
  ['a fence of JSON that names no tool', '```json\n{"name": "zerd"}\n```'],
  ['a list', '[readme, changelog]'],
  ['a text about many calls', '<tool_call>\n'.repeat(100)],
])('a text that is a text: %s', (_name, text) => {
  check(text, false);
});

test('whatever the text, it is judged, and with words at its end it is no call', () => {
  const part = fc.constantFrom(
    '<tool_call>',
    '{"name":"read"',
    '<function=',
    '[TOOL_CALLS]',
    '```',
    '\n',
    'x',
    '}',
    '>',
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      expect(typeof looksLikeCall(parts.join(''), [])).toBe('boolean');
      expect(looksLikeCall(`${parts.join('')} and that is all.`, tools)).toBe(false);
    }),
  );
});
