import { expect, test } from '@jest/globals';
import { codexHeaders } from '../../src/openai-responses/codex.ts';
import { encode } from '../../src/openai-responses/encode.ts';
import { responsesTraits } from '../../src/openai-responses/traits.ts';
import type { Endpoint } from '../../src/provider.ts';
import { fullPrompt, settings, tools } from '../support/prompts.ts';
import { newest } from '../support/responses-answers.ts';

const ours: Endpoint = { wire: 'responses', baseUrl: 'http://localhost:1234/v1' };

test('the whole body: stateless, the system as the first developer item with its breakpoint, an item a block', () => {
  expect(JSON.stringify(encode(fullPrompt, settings, newest), null, 1)).toBe(
    JSON.stringify(
      {
        model: 'some-model',
        stream: true,
        store: false,
        max_output_tokens: 4096,
        include: ['reasoning.encrypted_content'],
        reasoning: { summary: 'auto' },
        prompt_cache_key: 'key-of-the-prefix',
        tools: [
          {
            type: 'function',
            name: 'read',
            description: 'Reads.',
            parameters: tools[0]?.inputSchema,
            strict: false,
          },
          { type: 'function', name: 'find', description: 'Finds.', parameters: { type: 'object' }, strict: false },
        ],
        input: [
          {
            type: 'message',
            role: 'developer',
            content: [{ type: 'input_text', text: 'Be brief.', prompt_cache_breakpoint: { mode: 'explicit' } }],
          },
          { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'folder /repo' }] },
          { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Fix it.' }] },
          {
            type: 'message',
            role: 'assistant',
            content: [{ type: 'output_text', text: 'I look.', annotations: [] }],
          },
          {
            type: 'function_call',
            call_id: 'call_1',
            name: 'read',
            arguments: '{ "path": "b.ts", "a": 1.0 }',
          },
          { type: 'function_call', call_id: 'call_2', name: 'made_up_', arguments: '{}' },
          { type: 'function_call_output', call_id: 'call_1', output: 'text \ufffd' },
          { type: 'function_call_output', call_id: 'call_2', output: '' },
          { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'And quickly.' }] },
        ],
      },
      null,
      1,
    ),
  );
});

test.each<[string, Endpoint, string, readonly string[], boolean]>([
  ['OpenAI, newest', { wire: 'responses' }, 'gpt-6.2-sol', ['include', 'reasoning', 'prompt_cache_key'], true],
  ['OpenAI, 5.6', { wire: 'responses' }, 'gpt-5.6-luna', ['include', 'reasoning', 'prompt_cache_key'], true],
  ['OpenAI, 5.5', { wire: 'responses' }, 'gpt-5.5-pro', ['include', 'reasoning', 'prompt_cache_key'], false],
  ['OpenAI, 5', { wire: 'responses' }, 'gpt-5', ['include', 'reasoning', 'prompt_cache_key'], false],
  ['OpenAI, o3', { wire: 'responses' }, 'o3', ['include', 'reasoning', 'prompt_cache_key'], false],
  ['OpenAI, no reasoning', { wire: 'responses' }, 'gpt-4.1-mini', ['prompt_cache_key'], false],
  ['another server', ours, 'qwen3', ['include', 'prompt_cache_key'], false],
  ['a server that refuses the key', { ...ours, promptCacheKey: false }, 'gpt-oss:20b', ['include'], false],
])('%s gets the parameters that it takes', (_, endpoint, modelId, parameters, breakpoint) => {
  const {
    model,
    stream,
    store,
    max_output_tokens,
    tools: __,
    input,
    ...rest
  } = encode(fullPrompt, { modelId, maxOutput: 1 }, responsesTraits(endpoint, modelId));
  expect({ model, stream, store, max_output_tokens }).toEqual({
    model: modelId,
    stream: true,
    store: false,
    max_output_tokens: 16,
  });
  expect(Object.keys(rest)).toEqual(parameters);
  expect(JSON.stringify(input).includes('prompt_cache_breakpoint')).toBe(breakpoint);
});

test('a cache key is no longer than the API takes', () => {
  expect(encode({ ...fullPrompt, cacheKey: 'k'.repeat(65) }, settings, newest).prompt_cache_key).toBe('k'.repeat(64));
});

test("the body for ChatGPT's backend: no output limit, no breakpoint, its own parameters; the headers name account and session", () => {
  const claims = { 'https://api.openai.com/auth': { chatgpt_account_id: 'acc-ü-1' } };
  const token = `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.sig`;
  const traits = responsesTraits({ wire: 'responses', codex: true }, 'gpt-6.2-sol');
  const body = encode({ ...fullPrompt, tools: [], messages: [], cacheKey: 'ses_1' }, settings, traits);
  expect(body).toEqual({
    model: 'some-model',
    stream: true,
    store: false,
    text: { verbosity: 'low' },
    tool_choice: 'auto',
    parallel_tool_calls: true,
    include: ['reasoning.encrypted_content'],
    reasoning: { summary: 'auto' },
    prompt_cache_key: 'ses_1',
    input: [{ type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be brief.' }] }],
  });
  expect(codexHeaders(body, token)).toEqual({
    accept: 'text/event-stream',
    originator: 'zerd',
    'openai-beta': 'responses=experimental',
    'chatgpt-account-id': 'acc-ü-1',
    'session-id': 'ses_1',
    'x-client-request-id': 'ses_1',
  });
  for (const other of [undefined, '', 'sk-1', 'a.b.c', 'a.bnVsbA.c'])
    expect(Object.keys(codexHeaders(body, other))).not.toContain('chatgpt-account-id');
});
