import { expect, test } from '@jest/globals';
import { isWellFormed } from '@zerd/core/text/utf8';
import type { JsonObject, JsonValue } from '@zerd/protocol/common/json';
import fc from 'fast-check';
import { createProvider } from '../src/create-provider.ts';
import { textOf } from '../src/json/fields.ts';
import type { Provider } from '../src/provider.ts';
import { fullPrompt, growing, settings } from './support/prompts.ts';

const wires: readonly [string, Provider][] = [
  ['anthropic', createProvider({ wire: 'anthropic' })],
  ['chat', createProvider({ wire: 'chat' })],
  ['chat at DeepSeek', createProvider({ wire: 'chat', baseUrl: 'https://api.deepseek.com' })],
  ['responses', createProvider({ wire: 'responses' })],
  ["responses at ChatGPT's backend", createProvider({ wire: 'responses', codex: true })],
];

function texts(value: JsonValue): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(texts);
  return typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, field]) => [key, ...texts(field)])
    : [];
}

function messages(body: JsonObject): readonly JsonObject[] {
  return (body.messages ?? []) as readonly JsonObject[];
}

function items(body: JsonObject): readonly JsonObject[] {
  return (body.input ?? []) as readonly JsonObject[];
}

/** The ids of calls and of the results that answer them, in order. */
function callIds(message: JsonObject): readonly unknown[] {
  const content = Array.isArray(message.content) ? (message.content as readonly JsonObject[]) : [];
  const anthropic = content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
  return [...anthropic, ...((message.tool_calls ?? []) as readonly JsonObject[]).map((call) => call.id)];
}

function resultIds(following: readonly JsonObject[]): readonly unknown[] {
  const [next] = following;
  const blocks = Array.isArray(next?.content) ? (next.content as readonly JsonObject[]) : [];
  const anthropic = blocks.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
  const end = following.findIndex((message) => message.role !== 'tool');
  return [...anthropic, ...following.slice(0, end < 0 ? undefined : end).map((message) => message.tool_call_id)];
}

test.each(wires)('I3 on %s: appending messages and moving marks keeps every segment before', (_, provider) => {
  fc.assert(
    fc.property(growing, ({ before, after }) => {
      const earlier = provider.segments(provider.encode(before, settings));
      const later = provider.segments(provider.encode(after, settings));
      expect(later.slice(0, earlier.length)).toEqual(earlier);
    }),
  );
});

/** As it is sent, marks aside, with what grows at its end; what closes it is left out. */
function opened(body: JsonObject): string {
  const { messages: said, input, ...fixed } = body;
  const grows = said === undefined ? { input } : { messages: said };
  const bytes = JSON.stringify({ ...fixed, ...grows }, (name, value: JsonValue) =>
    name === 'cache_control' || name === 'prompt_cache_breakpoint' ? undefined : value,
  );
  return bytes.replace(/[\]}]+$/, '');
}

test.each(wires)('I3 on %s: byte for byte, a body begins with the whole of the one before it', (_, provider) => {
  fc.assert(
    fc.property(growing, ({ before, after }) => {
      const earlier = opened(provider.encode(before, settings));
      expect(opened(provider.encode(after, settings)).slice(0, earlier.length)).toBe(earlier);
    }),
  );
});

test.each(wires)('I2 on %s: equal prompts give equal bytes', (_, provider) => {
  fc.assert(
    fc.property(growing, ({ after }) => {
      const bytes = JSON.stringify(provider.encode(after, settings));
      expect(JSON.stringify(provider.encode(structuredClone(after), settings))).toBe(bytes);
    }),
  );
});

test.each(wires)(
  'I12 on %s: every text is well-formed, none is empty, every call is answered right behind it',
  (_, provider) => {
    fc.assert(
      fc.property(growing, ({ after }) => {
        const body = provider.encode(after, settings);
        expect(texts(body).filter((text) => !isWellFormed(text))).toEqual([]);
        expect(JSON.parse(JSON.stringify(body))).toEqual(body);
        expect(JSON.stringify(body).match(/cache_control/g)?.length ?? 0).toBeLessThanOrEqual(4);
        messages(body).forEach((message, i, all) => {
          if (message.role !== 'assistant') return;
          expect(callIds(message).length).toBeGreaterThan(0);
          expect(resultIds(all.slice(i + 1))).toEqual(callIds(message));
          const blocks = Array.isArray(message.content) ? (message.content as readonly JsonObject[]) : [];
          expect(blocks.filter((block) => block.type === 'text' && String(block.text).trim() === '')).toEqual([]);
          expect(blocks.filter((block) => /thinking/.test(String(block.type)) && block.cache_control)).toEqual([]);
        });
      }),
    );
  },
);

test.each(wires.slice(-2))(
  'I12 on %s: every call is answered behind its answer, in order, and reasoning is never last in an answer',
  (_, provider) => {
    fc.assert(
      fc.property(growing, ({ after }) => {
        const all = items(provider.encode(after, settings));
        const answers = all.map(
          ({ type, role }) => type === 'reasoning' || type === 'function_call' || role === 'assistant',
        );
        all.forEach(({ type, content }, i) => {
          if (type === 'reasoning') expect(answers[i + 1]).toBe(true);
          if (Array.isArray(content)) expect(textOf(content[0], 'text')?.trim()).not.toBe('');
        });
        const ids = (type: string) => all.flatMap((item) => (item.type === type ? [item.call_id] : []));
        expect(ids('function_call_output')).toEqual(ids('function_call'));
        let open = 0;
        for (const { type, role } of all) {
          if (type === 'function_call') open += 1;
          if (type === 'function_call_output') open -= 1;
          if (role === 'user') expect(open).toBe(0);
        }
      }),
    );
  },
);

test('segments name their parts; only what the model wrote as cache_control counts', () => {
  const anthropic = createProvider({ wire: 'anthropic' });
  const named = anthropic.segments(anthropic.encode(fullPrompt, settings));
  expect(named.map(({ name }) => name)).toEqual(['tools', 'system', 'message 0', 'message 1', 'message 2']);
  expect(named[2]).toEqual({
    name: 'message 0',
    hash: expect.stringMatching(/^[0-9a-f]{16}$/),
    bytes: JSON.stringify({
      role: 'user',
      content: [
        { type: 'text', text: 'folder /repo' },
        { type: 'text', text: 'Fix it.' },
      ],
    }).length,
  });
  const chat = createProvider({ wire: 'chat' });
  const chatNames = chat.segments(chat.encode(fullPrompt, settings)).map(({ name }) => name);
  expect(chatNames).toEqual([
    'tools',
    'system',
    'message 0',
    'message 1',
    'message 2',
    'message 3',
    'message 4',
    'message 5',
  ]);
  const responses = createProvider({ wire: 'responses' });
  const newest = { ...settings, modelId: 'gpt-6.2-sol' };
  const parts = responses.segments(responses.encode(fullPrompt, newest));
  expect(parts.map(({ name }) => name)).toEqual([
    'tools',
    'system',
    ...[0, 1, 2, 3, 4, 5, 6, 7].map((i) => `item ${i}`),
  ]);
  expect(responses.segments(responses.encode(fullPrompt, settings))).toEqual(parts);
  const written = (key: string) =>
    anthropic.segments({ messages: [{ role: 'assistant', content: [{ type: 'tool_use', input: { [key]: 1 } }] }] });
  expect(written('cache_control')).not.toEqual(written('other'));
});
