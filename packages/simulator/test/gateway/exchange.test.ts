/** What the gateway does with requests: it judges, plays, weighs, remembers. */
import { expect, test } from '@jest/globals';
import type { Player } from '../../src/players/player.ts';
import { scriptPlayer } from '../../src/players/script.ts';
import { ask, gateway, hi, post, start, stop } from './ask.ts';

test('a script is played in order and ends with done', async () => {
  await start();
  expect([await ask(), await ask(), await ask(), await ask()]).toEqual(['one', 'two', 'done', 'done']);
});

test('a request that was refused or cut gets the same step again', async () => {
  const cut = { kind: 'cut', at: 'line' } as const;
  await start({
    faults: [
      { fault: { kind: 'overloaded' }, on: 2 },
      { fault: cut, on: 4 },
    ],
  });
  const said = [await ask(), await ask(), await ask({ ...hi, max_tokens: undefined })];
  await expect(post('/v1/messages', { ...hi, stream: true })).rejects.toThrow();
  expect([...said, await ask(), await ask()]).toEqual(['one', 529, 400, 'two', 'done']);
  expect(gateway?.requests.map((request) => [request.status, request.step?.text ?? null, request.delivered])).toEqual([
    [200, 'one', true],
    [529, null, false],
    [400, null, false],
    [200, 'two', false],
    [200, 'two', true],
    [200, 'done', true],
  ]);
});

test('a fault of a step strikes once', async () => {
  await start({
    player: scriptPlayer([
      { text: 'one', fault: { kind: 'rate-limit', retryAfter: '1' } },
      { text: 'two', fault: { kind: 'overloaded' }, faultTimes: 2 },
    ]),
  });
  expect([await ask(), await ask(), await ask(), await ask(), await ask()]).toEqual([429, 'one', 529, 529, 'two']);
});

test('each conversation can have its own cursor', async () => {
  await start({ player: scriptPlayer([{ text: 'one' }, { text: 'two' }], { perConversation: true }) });
  const other = { ...hi, messages: [{ role: 'user', content: 'hello' }] };
  expect([await ask(), await ask(other), await ask(), await ask(other)]).toEqual(['one', 'one', 'two', 'two']);
});

test('a player sees what was sent, the same on every wire', async () => {
  const player: Player = (view, memory) => {
    memory.notes.set('times', Number(memory.notes.get('times') ?? 0) + 1);
    return { text: JSON.stringify([memory.notes.get('times'), view.system, view.tools, view.messages]) };
  };
  await start({ player });
  const schema = { type: 'object' };
  const messages = [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'facts' },
        { type: 'text', text: 'hi' },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'so' },
        { type: 'tool_use', id: 'a', name: 'read', input: { path: 'x' } },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'r' }] }] },
  ];
  const chatMessages = [
    { role: 'system', content: 'be good' },
    { role: 'user', content: 'facts' },
    { role: 'user', content: 'hi' },
    {
      role: 'assistant',
      content: 'so',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'read', arguments: '{"path":"x"}' } }],
    },
    { role: 'tool', tool_call_id: 'a', content: 'r' },
  ];
  await post('/v1/messages', {
    ...hi,
    system: [{ type: 'text', text: 'be good' }],
    tools: [{ name: 'read', input_schema: schema }],
    messages,
  });
  await post('/v1/chat/completions', {
    model: 'sim',
    tools: [{ type: 'function', function: { name: 'read', parameters: schema } }],
    messages: chatMessages,
  });
  await post('/v1/responses', {
    model: 'sim',
    store: false,
    tools: [{ type: 'function', name: 'read', parameters: schema }],
    input: [
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'be good' }] },
      { role: 'user', content: 'facts' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'so', annotations: [] }] },
      { type: 'function_call', call_id: 'a', name: 'read', arguments: '{"path":"x"}' },
      { type: 'function_call_output', call_id: 'a', output: 'r' },
    ],
  });
  const seen = [
    'be good',
    ['read'],
    [
      {
        role: 'user',
        parts: [
          { kind: 'text', text: 'facts' },
          { kind: 'text', text: 'hi' },
        ],
      },
      {
        role: 'assistant',
        parts: [
          { kind: 'text', text: 'so' },
          { kind: 'call', id: 'a', name: 'read', input: { path: 'x' } },
        ],
      },
      { role: 'user', parts: [{ kind: 'result', callId: 'a', text: 'r', isError: false }] },
    ],
  ];
  expect(gateway?.requests.map((request) => JSON.parse(request.step?.text ?? ''))).toEqual([
    [1, ...seen],
    [2, ...seen],
    [3, ...seen],
  ]);
});

test('requests are kept as they came, keys only as present', async () => {
  await start({ clock: { now: () => 5 } });
  await post('/v1/messages?beta=true', hi, { authorization: 'Bearer secret' });
  const [request] = gateway?.requests ?? [];
  expect(request).toMatchObject({
    n: 1,
    at: 5,
    wire: 'anthropic',
    path: '/v1/messages?beta=true',
    body: hi,
    bodyText: JSON.stringify(hi),
    bytes: JSON.stringify(hi).length,
  });
  expect(request?.headers).toMatchObject({
    'x-api-key': '[present]',
    authorization: '[present]',
    'anthropic-version': '2023-06-01',
  });
  expect(JSON.stringify(gateway?.requests)).not.toContain('secret');
});

test('received settles with a request that is not yet answered', async () => {
  await start({ faults: [{ fault: { kind: 'no-answer' } }] });
  const answered = post('/v1/messages', hi).then(
    () => 'answered',
    () => 'cut',
  );
  expect(await gateway?.received(1)).toMatchObject({ n: 1, status: null });
  await stop();
  expect(await answered).toBe('cut');
});

test.each<[string, string, unknown, Record<string, string | undefined>, number, object]>([
  [
    'no key',
    '/v1/messages',
    hi,
    { 'x-api-key': undefined },
    401,
    { type: 'error', error: { type: 'authentication_error', message: 'x-api-key header is required' } },
  ],
  [
    'no version',
    '/v1/messages',
    hi,
    { 'anthropic-version': undefined },
    400,
    { error: { message: 'anthropic-version: header is required' } },
  ],
  [
    'no JSON',
    '/v1/messages',
    '{"model"',
    {},
    400,
    { error: { type: 'invalid_request_error', message: 'The request body is not valid JSON.' } },
  ],
  [
    'half a character (I12)',
    '/v1/messages',
    JSON.stringify({ ...hi, messages: [{ role: 'user', content: 'x\ud83d' }] }),
    {},
    400,
    { error: { message: 'The request body is not valid JSON: no low surrogate in string' } },
  ],
  [
    'an unknown model',
    '/v1/messages',
    { ...hi, model: 'nope' },
    {},
    404,
    { error: { type: 'not_found_error', message: 'model: nope' } },
  ],
  [
    'too much output',
    '/v1/messages',
    { ...hi, max_tokens: 64_001 },
    {},
    400,
    { error: { message: 'max_tokens: 64001 > 64000, which is the maximum allowed number of output tokens for sim' } },
  ],
  [
    'another path',
    '/v1/other',
    hi,
    {},
    404,
    { error: { type: 'not_found_error', message: 'Not found: POST /v1/other' } },
  ],
  [
    'an unknown chat model',
    '/v1/chat/completions',
    { model: 'nope', messages: hi.messages },
    {},
    404,
    { error: { code: 'model_not_found', param: null } },
  ],
  [
    'an unknown Responses model',
    '/v1/responses',
    { model: 'nope', input: 'hi', store: false },
    {},
    404,
    { error: { code: 'model_not_found', param: null } },
  ],
  [
    'too much output on Responses',
    '/v1/responses',
    { model: 'sim', input: 'hi', store: false, max_output_tokens: 64_001 },
    {},
    400,
    { error: { code: 'invalid_value', param: 'max_output_tokens' } },
  ],
  [
    'another method of Responses',
    '/v1/responses/compact',
    {},
    {},
    404,
    { error: { type: 'not_found_error', message: 'Not found: POST /v1/responses/compact', param: null, code: null } },
  ],
  [
    'an empty chat body',
    '/v1/chat/completions',
    { model: 'sim', messages: [] },
    {},
    400,
    { error: { type: 'invalid_request_error', code: 'empty_array', param: 'messages' } },
  ],
])('refuses %s in the provider’s own form', async (_name, path, body, more, status, json) => {
  await start();
  expect(await post(path, body, more)).toMatchObject({ status, json });
});

test.each<[string, string, RegExp]>([
  ['anthropic', '/v1/messages', /^prompt is too long: \d+ tokens > 1000 maximum$/],
  [
    'chat',
    '/v1/chat/completions',
    /^This model's maximum context length is 1000 tokens\. However, your messages resulted in \d+ tokens\./,
  ],
  ['responses', '/v1/responses', /^Your input exceeds the context window of this model\./],
])('a prompt over the window is refused on %s, and not billed', async (_wire, path, words) => {
  await start({ models: { sim: { window: 1000, maxOutput: 100 } } });
  const messages = [{ role: 'user', content: 'word '.repeat(1000) }];
  const body =
    path === '/v1/responses'
      ? { model: 'sim', store: false, input: messages }
      : { model: 'sim', max_tokens: 10, messages };
  const { status, json } = await post(path, body);
  expect([status, (json.error as { message: string }).message]).toEqual([400, expect.stringMatching(words)]);
  expect(gateway?.weights()).toMatchObject({ requests: 1, uncached: 0, weighted: 0 });
});

test('a lenient gateway takes what the provider takes', async () => {
  await start({ lenient: true });
  const { status } = await post('/v1/responses', { model: 'sim', input: 'hi', instructions: 'be good', store: true });
  expect(status).toBe(200);
});

test('a player that throws is told to the client and ends nothing', async () => {
  await start({
    player: (_view, memory) => {
      if (memory.notes.size > 0) return { text: 'better' };
      memory.notes.set('thrown', true);
      throw new Error('no step for this');
    },
  });
  expect([await post('/v1/messages', hi), await ask()]).toMatchObject([
    { status: 500, json: { error: { type: 'api_error', message: 'the player failed: Error: no step for this' } } },
    'better',
  ]);
  expect(gateway?.requests[0]).toMatchObject({ status: 500, delivered: false });
});
