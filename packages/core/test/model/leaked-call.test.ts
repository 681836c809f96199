import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { findLeakedCalls } from '../../src/model/leaked-call.ts';
import { declareTools } from '../../src/tools/declarations.ts';

const read = { type: 'object', properties: { path: { type: 'string' }, limit: { type: 'integer', minimum: 1 } } };
const strict = { ...read, required: ['path'], additionalProperties: false };
const tools = [
  { name: 'read', inputSchema: strict },
  {
    name: 'put',
    inputSchema: {
      type: 'object',
      properties: {
        to: { enum: ['a', 'b'] },
        lines: { type: 'array', items: { type: 'string' } },
        all: { type: ['boolean', 'null'] },
      },
      additionalProperties: false,
    },
  },
];

function leaked(text: string) {
  const found = findLeakedCalls(text, tools);
  return found && { before: found.before, calls: found.calls.map(({ name, inputJson }) => [name, inputJson]) };
}

function check(text: string, before: string, ...calls: readonly [string, string][]): void {
  expect(leaked(text)).toEqual({ before, calls });
}

const one: [string, string] = ['read', '{"path":"src/a.ts"}'];
const two: [string, string] = ['read', '{"path":"b","limit":3}'];

const rows: readonly (readonly [family: string, text: string, calls: readonly [string, string][]])[] = [
  ['Hermes', '<tool_call>{"name":"read","arguments":{"path":"src/a.ts"}}</tool_call>', [one]],
  [
    'Hermes, two in a row',
    '<tool_call>\n{"name": "read", "arguments": {"path": "src/a.ts"}}\n</tool_call>\n<tool_call>\n{"name": "read", "arguments": {"path": "b", "limit": 3}}\n</tool_call>\n',
    [one, two],
  ],
  ['Hermes behind the end of thinking', '</think>{"name":"read","arguments":{"path":"src/a.ts"}}</tool_call>', [one]],
  [
    'Qwen3-Coder',
    '<tool_call>\n<function=read>\n<parameter=path>\nb\n</parameter>\n<parameter=limit>\n3\n</parameter>\n</function>\n</tool_call>',
    [two],
  ],
  [
    'Qwen3-Coder without its opener',
    '<function=read>\n<parameter=path>\nsrc/a.ts\n</parameter>\n</function>\n</tool_call>',
    [one],
  ],
  ["Ollama's cloud", '<function=read>{"path":"src/a.ts"}</function>', [one]],
  [
    'GLM',
    '<tool_call>read\n<arg_key>path</arg_key>\n<arg_value>b</arg_value>\n<arg_key>limit</arg_key>\n<arg_value>3</arg_value>\n</tool_call>',
    [two],
  ],
  ['Mistral', '[TOOL_CALLS]read[ARGS]{"path":"src/a.ts"}[TOOL_CALLS]read[ARGS]{"path":"b","limit":3}', [one, two]],
  ['Mistral, the old form', '[TOOL_CALLS] [{"name":"read","arguments":{"path":"src/a.ts"}}]', [one]],
  [
    'DeepSeek V3',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read<｜tool▁sep｜>{"path":"src/a.ts"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    [one],
  ],
  [
    'DeepSeek R1',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read\n```json\n{"path":"src/a.ts"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    [one],
  ],
  [
    'DeepSeek V4',
    '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="read">\n<｜DSML｜parameter name="path" string="true">b</｜DSML｜parameter>\n<｜DSML｜parameter name="limit" string="false">3</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
    [two],
  ],
  [
    'DeepSeek V4 with doubled bars and smart quotes',
    '<｜｜DSML｜｜tool_calls><｜｜DSML｜｜invoke name=“read”><｜｜DSML｜｜parameter name=“path” string=“true”>src/a.ts</｜｜DSML｜｜parameter></｜｜DSML｜｜invoke></｜｜DSML｜｜tool_calls>',
    [one],
  ],
  [
    'DeepSeek V4 in ASCII',
    '< | DSML | tool_calls>< | DSML | invoke name="read">< | DSML | parameter name="path" string="true">src/a.ts</ | DSML | parameter></ | DSML | invoke></ | DSML | tool_calls>',
    [one],
  ],
  [
    'DeepSeek V4 with the tool as the tag',
    '<｜DSML｜tool_calls>\n<｜DSML｜read>\n<｜DSML｜parameter name="path" string="true">src/a.ts</｜DSML｜parameter>\n</｜DSML｜read>\n</｜DSML｜tool_calls>',
    [one],
  ],
  [
    'Kimi K2',
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{"path":"src/a.ts"}<|tool_call_end|><|tool_call_begin|>functions.read:1<|tool_call_argument_begin|>{"path":"b","limit":3}<|tool_call_end|><|tool_calls_section_end|>',
    [one, two],
  ],
  [
    'MiniMax',
    '<minimax:tool_call>\n<invoke name="read">\n<parameter name="path">src/a.ts</parameter>\n</invoke>\n</minimax:tool_call>',
    [one],
  ],
  [
    'imitation of Claude',
    '<function_calls><invoke name="read"><parameter name="path">b</parameter><parameter name="limit">3</parameter></invoke></function_calls>',
    [two],
  ],
  ['Gemma 4', '<|tool_call>call:read{path:<|"|>b<|"|>,limit:3}<tool_call|>', [two]],
  [
    'Gemma 4 with a list',
    '<|tool_call>call:put{lines:[<|"|>{x},"y"<|"|>,<|"|><|"|>],all:null}<tool_call|>',
    [['put', '{"lines":["{x},\\"y\\"",""],"all":null}']],
  ],
  ['FunctionGemma', '<start_function_call>call:read{path:<escape>src/a.ts<escape>}<end_function_call>', [one]],
  ['harmony', '<|channel|>commentary to=functions.read <|constrain|>json<|message|>{"path":"src/a.ts"}<|call|>', [one]],
  [
    'harmony without its end',
    '<|start|>assistant<|channel|>commentary to=functions.read<|message|>{"path":"src/a.ts"}',
    [one],
  ],
  ['Llama 3', '<|python_tag|>{"name":"read","parameters":{"path":"src/a.ts"}}', [one]],
  ['Llama 3 as Python', '[read(path=\'src/a.ts\'), read(path="b", limit=3)]', [one, two]],
  ['LFM2', '<|tool_call_start|>[read(path="src/a.ts")]<|tool_call_end|>', [one]],
  ['OLMo 3', '<function_calls>read(path="src/a.ts")\nread(path="b", limit=3)</function_calls>', [one, two]],
  [
    'Python with nested values and escapes',
    String.raw`[put(to='a', lines=['it\'s\n\x41', "\q"], all=True)]`,
    [['put', '{"to":"a","lines":["it\'s\\nA","\\\\q"],"all":true}']],
  ],
  ['a JSON fence', '```json\n{"name":"read","arguments":{"path":"src/a.ts"}}\n```', [one]],
  ['bare JSON', ' {"name": "read", "parameters": {"path": "src/a.ts"}}\n', [one]],
  ['ReAct', 'Action: read\nAction Input: {"path":"src/a.ts"}', [one]],
];

test.each(rows)('a call leaked in the form of %s is recognised', (_, text, calls) => {
  check(text, '', ...calls);
});

const wholeOnly = /^(a JSON|bare|Llama 3 as|Python with)/;

test.each(rows.filter(([family]) => !wholeOnly.test(family)))(
  'words before the form of %s stay text, words behind it make all of it text',
  (_, text, calls) => {
    check(`I look.\n\n${text}`, 'I look.', ...calls);
    expect(leaked(`${text}\nThat is how it is written.`)).toBeUndefined();
  },
);

test('forms without a mark of their own count only as the whole message', () => {
  for (const [family, text] of rows)
    if (wholeOnly.test(family)) expect(leaked(`For example:\n${text}`)).toBeUndefined();
});

test('no form is recognised inside a code fence, in inline code, or of an undeclared tool', () => {
  for (const [family, text] of rows) {
    expect(leaked(`It reads:\n\`\`\`\n${text}`)).toBeUndefined();
    expect(leaked(`It reads:\n~~~~xml\n\`\`\`\n${text}`)).toBeUndefined();
    expect(leaked(`It reads \`${text}\``)).toBeUndefined();
    expect(findLeakedCalls(text, [{ name: 'other', inputSchema: {} }])).toBeUndefined();
    if (!wholeOnly.test(family)) expect(leaked(`\`\`\`\ncode\n\`\`\`\n${text}`)).toBeDefined();
  }
});

test('what does not fit the schema stays text', () => {
  const call = (args: string) => `<tool_call>{"name":"read","arguments":${args}}</tool_call>`;
  check(call('{"path":"a","limit":1}'), '', ['read', '{"path":"a","limit":1}']);
  for (const args of [
    '{}',
    '{"path":1}',
    '{"path":"a","limit":0}',
    '{"path":"a","limit":1.5}',
    '{"path":"a","x":1}',
    '[]',
  ])
    expect(leaked(call(args))).toBeUndefined();
  const tagged = (limit: string) =>
    `<function=read><parameter=path>a</parameter><parameter=limit>${limit}</parameter></function>`;
  check(tagged('7'), '', ['read', '{"path":"a","limit":7}']);
  for (const limit of ['seven', 'toString', '', '"7"', 'None']) expect(leaked(tagged(limit))).toBeUndefined();
  expect(leaked('[put(to="c")]')).toBeUndefined();
  expect(leaked('[put(lines=["a", 1])]')).toBeUndefined();
});

test('one wrong call among several leaves all of it text', () => {
  const good = '<tool_call>{"name":"read","arguments":{"path":"a"}}</tool_call>';
  expect(leaked(`${good}<tool_call>{"name":"gone","arguments":{}}</tool_call>`)).toBeUndefined();
  expect(leaked(`${good}<tool_call>{"name":"read","arguments":{"path":"a"`)).toBeUndefined();
});

test('an earlier mention of the markup does not hide the call at the tail', () => {
  const call = '<tool_call>{"name":"read","arguments":{"path":"a"}}</tool_call>';
  check(`The mark <tool_call> begins it.\n${call}`, 'The mark <tool_call> begins it.', ['read', '{"path":"a"}']);
});

test('arguments keep markup, quotes and newlines that stand inside JSON strings', () => {
  const path = '</tool_call>\n"{[`';
  const text = `<tool_call>${JSON.stringify({ name: 'read', arguments: { path } })}</tool_call>`;
  check(text, '', ['read', JSON.stringify({ path })]);
});

test("the house's own tools are recognised with their schemas", () => {
  const text =
    '<function=edit>\n<parameter=path>\na.ts\n</parameter>\n<parameter=old>\n  x\n</parameter>\n<parameter=new>\n</parameter>\n<parameter=all>\ntrue\n</parameter>\n</function>';
  expect(findLeakedCalls(text, declareTools())).toEqual({
    before: '',
    calls: [{ name: 'edit', inputJson: '{"path":"a.ts","old":"  x","new":"","all":true}' }],
  });
});

test('plain texts, JSON answers and texts about calls stay text', () => {
  for (const text of [
    '',
    'Done.',
    '{"a":1}',
    '[]',
    '[1](x)',
    '{"name":"read"}',
    'Action: read',
    '<tool_call>',
    'read(path="a")',
  ])
    expect(leaked(text)).toBeUndefined();
});

test('whatever the text is, looking for calls ends, and what is found are declared tools', () => {
  const pieces = rows.flatMap(([, text]) => text.match(/<[^>]*>|[^<]+/g) ?? []);
  const texts = fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 12 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(texts, (text) => {
      const found = findLeakedCalls(text, tools);
      for (const { name, inputJson } of found?.calls ?? []) {
        expect(['read', 'put']).toContain(name);
        JSON.parse(inputJson);
      }
      if (found) expect(text.startsWith(found.before)).toBe(true);
    }),
  );
});

test('a text made of openings alone is looked at and left', () => {
  expect(leaked('<tool_call>{'.repeat(20_000))).toBeUndefined();
  expect(leaked('<tool_call>x<arg_key>'.repeat(10_000))).toBeUndefined();
  expect(leaked(`<function=read>${'<parameter=path>'.repeat(15_000)}`)).toBeUndefined();
  expect(leaked(`[read(path=${'['.repeat(5000)}`)).toBeUndefined();
});
