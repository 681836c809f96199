import { beforeAll, expect, test } from '@jest/globals';
import { anthropicBlocks, chatBlocks, responsesBlocks } from '../../src/weigh/blocks.ts';
import { loadTokenizer, type Tokenizer } from '../../src/weigh/tokens.ts';
import { totalsOf } from '../../src/weigh/totals.ts';
import { createWeigher } from '../../src/weigh/weigh.ts';

let tokenizer: Tokenizer;
beforeAll(async () => {
  tokenizer = await loadTokenizer();
});

test.each([
  ['hello world', 2],
  ['function add(a, b) {\n  return a + b;\n}\n', 14],
  ['größer als 日本語', 5],
  ['<|endoftext|>', 7],
  ['', 0],
])('%j counts as many tokens as ever', (text, tokens) => {
  expect(tokenizer.count(text).tokens.length).toBe(tokens);
});

test('a very long run of one character is counted in pieces, so that it takes no minutes', () => {
  expect(tokenizer.count('a'.repeat(1_000_000)).tokens.length).toBe(125_000);
});

test('a Messages body is cut into tools, system and content blocks, unescaped, marks aside', () => {
  const mark = { type: 'ephemeral', ttl: '1h' };
  const blocks = anthropicBlocks({
    tools: [{ name: 'read', input_schema: { type: 'object' } }],
    system: [{ type: 'text', text: 'be\n"good"', cache_control: mark }],
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'read', input: { path: 'x' } }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: 'r' },
          { type: 'text', text: 't', cache_control: { type: 'ephemeral' } },
        ],
      },
    ],
  });
  expect(blocks).toEqual([
    { section: 'tools', text: '{"name":"read","input_schema":{"type":"object"}}' },
    { section: 'system', text: '{"type":"text","text":"be\n"good""}', mark: '1h' },
    { section: 'messages', text: '{"role":"user","content":[{"type":"text","text":"hi"}' },
    {
      section: 'messages',
      text: '{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"read","input":{"path":"x"}}',
    },
    { section: 'messages', text: '{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"r"}' },
    { section: 'messages', text: '{"type":"text","text":"t"}', mark: '5m' },
  ]);
});

test('a chat body is cut into tools and messages; only the leading system messages are system', () => {
  const blocks = chatBlocks({
    tools: [{ type: 'function', function: { name: 'read' } }],
    messages: [
      { role: 'system', content: 's' },
      { role: 'user', content: 'hi' },
      { role: 'developer', content: 'later' },
    ],
  });
  expect(blocks.map(({ section, text }) => [section, text])).toEqual([
    ['tools', '{"type":"function","function":{"name":"read"}}'],
    ['system', '{"role":"system","content":"s"}'],
    ['messages', '{"role":"user","content":"hi"}'],
    ['messages', '{"role":"developer","content":"later"}'],
  ]);
});

test('a Responses body is cut into tools and items, without ids, status and breakpoints; instructions stand behind', () => {
  const blocks = responsesBlocks({
    tools: [{ type: 'function', name: 'read' }],
    instructions: 'i',
    input: [
      {
        role: 'developer',
        content: [{ type: 'input_text', text: 's', prompt_cache_breakpoint: { mode: 'explicit' } }],
      },
      { role: 'user', content: 'hi' },
      { type: 'function_call', id: 'fc_1', status: 'completed', call_id: 'a' },
    ],
  });
  expect(blocks.map(({ section, text }) => [section, text])).toEqual([
    ['tools', '{"type":"function","name":"read"}'],
    ['system', '{"role":"developer","content":[{"type":"input_text","text":"s"}]}'],
    ['messages', '{"role":"user","content":"hi"}'],
    ['messages', '{"type":"function_call","call_id":"a"}'],
    ['system', '{"instructions":"i"}'],
  ]);
});

test('a mark on the whole request stands on its last block that is no thinking', () => {
  const content = [
    { type: 'text', text: 'x' },
    { type: 'thinking', thinking: 'y', signature: 'z' },
  ];
  const blocks = anthropicBlocks({ cache_control: { type: 'ephemeral' }, messages: [{ role: 'user', content }] });
  expect(blocks.map((block) => block.mark)).toEqual(['5m', undefined]);
});

test('a mark that moves does not change what is cached', () => {
  const weigher = createWeigher(tokenizer);
  const long = 'word '.repeat(2000);
  const mark = { cache_control: { type: 'ephemeral' } };
  const first = { model: 'sim', messages: [{ role: 'user', content: [{ type: 'text', text: long, ...mark }] }] };
  const then = {
    model: 'sim',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: long },
          { type: 'text', text: 'more', ...mark },
        ],
      },
    ],
  };
  const one = weigher.charge(weigher.weigh('anthropic', first), 0);
  const two = weigher.charge(weigher.weigh('anthropic', then), 0);
  expect(one).toEqual({ read: 0, write: 2015, write1h: 0, uncached: 0 });
  expect(two).toEqual({ read: 2015, write: 9, write1h: 0, uncached: 0 });
});

test('totals price reads at a tenth, writes at 1.25 on anthropic and 1.0 elsewhere; what was refused costs only its bytes', () => {
  const tokens = { total: 3000, system: 500, tools: 600 };
  const cache = { read: 1000, write: 1600, uncached: 400 };
  const refused = { bytes: 50, tokens: { total: 9000, system: 1, tools: 1 }, cache: null, output: 0 };
  const paid = { bytes: 100, tokens, cache, output: 7 };
  const totals = (wire: 'anthropic' | 'responses' | 'chat') =>
    totalsOf([
      { wire, ...refused },
      { wire, ...paid },
      { wire, ...paid },
    ]);
  expect(totals('anthropic')).toEqual({
    requests: 3,
    requestBytes: 250,
    systemTokens: 500,
    toolsTokens: 600,
    peakTokens: 3000,
    cacheRead: 2000,
    cacheWrite: 3200,
    uncached: 800,
    output: 14,
    hitRate: 0.3333,
    weighted: 5000,
  });
  expect([totals('responses').weighted, totals('chat').weighted]).toEqual([4200, 4200]);
});

test('37 requests that grow to 200 kB of one conversation weigh in well under the time of their making', () => {
  const weigher = createWeigher(tokenizer);
  const messages: object[] = [];
  for (let i = 0; i < 37; i++) {
    messages.push({
      role: i % 2 === 0 ? 'user' : 'assistant',
      content: `${i} ${'const value = compute(input);\n'.repeat(600)}`,
    });
    weigher.charge(weigher.weigh('chat', { model: 'sim', messages }), 0);
  }
  const last = weigher.charge(weigher.weigh('chat', { model: 'sim', messages }), 0);
  expect(last.read).toBeGreaterThan(120_000);
  expect(last.uncached).toBeLessThan(128);
});
