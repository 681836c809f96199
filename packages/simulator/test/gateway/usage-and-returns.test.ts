/** What the gateway reports of a request's cost, and what it takes back of an earlier answer. */
import { expect, test } from '@jest/globals';
import { scriptPlayer } from '../../src/players/script.ts';
import { ask, gateway, hi, post, start } from './ask.ts';

test('usage is what the cache simulation says, on every wire, and expires on the virtual clock only', async () => {
  const steps = [{ text: 'a' }, { text: 'b' }, { text: 'c', advanceMs: 300_001 }];
  await start({ player: scriptPlayer([...steps, ...steps]), cacheTtlMs: 300_000 });
  const content = [{ type: 'text', text: 'word '.repeat(2000), cache_control: { type: 'ephemeral' } }];
  const usages: unknown[] = [];
  for (const _ of steps)
    usages.push((await post('/v1/messages', { ...hi, messages: [{ role: 'user', content }] })).json.usage);
  expect(usages).toMatchObject([
    { input_tokens: 0, cache_creation_input_tokens: 2015, cache_read_input_tokens: 0, output_tokens: 1 },
    { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 2015 },
    { input_tokens: 0, cache_creation_input_tokens: 2015, cache_read_input_tokens: 0 },
  ]);
  const chat = { model: 'sim', messages: [{ role: 'user', content: 'word '.repeat(2000) }] };
  const chatUsages: unknown[] = [];
  for (const _ of steps) chatUsages.push((await post('/v1/chat/completions', chat)).json.usage);
  expect(chatUsages).toMatchObject([
    { prompt_tokens: 2008, prompt_tokens_details: { cached_tokens: 0 }, completion_tokens: 1 },
    { prompt_tokens: 2008, prompt_tokens_details: { cached_tokens: 1920 } },
    { prompt_tokens: 2008, prompt_tokens_details: { cached_tokens: 0 } },
  ]);
});

test('usage of the Responses wire includes what the cache read', async () => {
  const steps = [{ text: 'a' }, { text: 'b' }, { text: 'c', advanceMs: 300_001, usage: { cacheWrite: 7 } }];
  await start({ player: scriptPlayer(steps), cacheTtlMs: 300_000 });
  const body = { model: 'sim', store: false, input: 'word '.repeat(2000) };
  const usages: unknown[] = [];
  for (const _ of steps) usages.push((await post('/v1/responses', body)).json.usage);
  const output = { output_tokens: 1, output_tokens_details: { reasoning_tokens: 0 } };
  expect(usages).toEqual([
    {
      input_tokens: 2012,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      ...output,
      total_tokens: 2013,
    },
    {
      input_tokens: 2012,
      input_tokens_details: { cached_tokens: 1920, cache_write_tokens: 0 },
      ...output,
      total_tokens: 2013,
    },
    {
      input_tokens: 2019,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 7 },
      ...output,
      total_tokens: 2020,
    },
  ]);
});

test('a step may report another usage, or none', async () => {
  await start({
    player: scriptPlayer([
      { text: 'a', usage: { cacheRead: 5 } },
      { text: 'b', usage: 'none' },
    ]),
  });
  const usages = [(await post('/v1/messages', hi)).json.usage, (await post('/v1/messages', hi)).json.usage];
  expect(usages).toMatchObject([{ cache_read_input_tokens: 5 }, undefined]);
});

test('reasoning must come back exactly in a tool loop', async () => {
  await start({ player: scriptPlayer([{ reasoning: 'Hm.', calls: [{ name: 'read', input: {} }] }]) });
  const { json } = await post('/v1/messages', hi);
  const content = json.content as { type: string; id?: string; thinking?: string }[];
  const results = content.flatMap((block) =>
    block.id === undefined ? [] : [{ type: 'tool_result', tool_use_id: block.id, content: 'x' }],
  );
  const back = (blocks: unknown[]) => ({
    ...hi,
    messages: [...hi.messages, { role: 'assistant', content: blocks }, { role: 'user', content: results }],
  });
  const altered = content.map((block) => (block.type === 'thinking' ? { ...block, thinking: 'Ha.' } : block));
  expect([await ask(back(content.slice(1))), await ask(back(altered)), await ask(back(content))]).toEqual([
    400,
    400,
    'done',
  ]);
});

test('Responses items come back as they were: reasoning unchanged and followed by its item', async () => {
  await start({ player: scriptPlayer([{ reasoning: 'Hm.', text: 'So.', calls: [{ name: 'read', input: {} }] }]) });
  const hello = { role: 'user', content: 'hi' };
  const request = (items: readonly unknown[]) => ({ model: 'sim', store: false, input: [hello, ...items] });
  const { json } = await post('/v1/responses', request([]));
  const items = json.output as Record<string, unknown>[];
  const [reasoning, message, call] = items;
  const output = { type: 'function_call_output', call_id: call?.call_id, output: 'x' };
  const { id: _, ...anonymous } = message ?? {};
  const refusals: unknown[] = [];
  for (const back of [
    [message, call, output],
    [{ ...reasoning, summary: [{ type: 'summary_text', text: 'Ha.' }] }, message, call, output],
    [{ ...reasoning, encrypted_content: undefined }, message, call, output],
    [reasoning, call, output],
    [message, reasoning, call, output],
    [anonymous, call, output],
    [...items, output],
  ]) {
    const answer = await post('/v1/responses', request(back));
    refusals.push(answer.status === 200 ? 'accepted' : (answer.json.error as { message: string }).message);
  }
  const following = "Item 'rs_sim_1' of type 'reasoning' was provided without its required following item.";
  expect(refusals).toEqual([
    "Item 'msg_sim_1' of type 'message' was provided without its required 'reasoning' item: 'rs_sim_1'.",
    'The encrypted content gAAA... could not be verified. Reason: Encrypted content could not be decrypted or parsed.',
    "Item with id 'rs_sim_1' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.",
    following,
    "Item 'msg_sim_1' of type 'message' was provided without its required 'reasoning' item: 'rs_sim_1'.",
    'accepted',
    'accepted',
  ]);
});

const codexHeaders = {
  authorization: 'Bearer k',
  'chatgpt-account-id': 'acc',
  originator: 'zerd',
  'session-id': 'ses',
  'openai-beta': 'responses=experimental',
  accept: 'text/event-stream',
};

async function askCodex(body: object, more: Record<string, string> = {}): Promise<string> {
  const response = await fetch(`${gateway?.origin}/backend-api/codex/responses`, {
    method: 'POST',
    headers: Object.entries({ ...codexHeaders, ...more }).filter(([, value]) => value !== ''),
    body: JSON.stringify(body),
  });
  return `${response.status} ${await response.text()}`;
}

test('ChatGPT’s backend wants its headers, takes fewer parameters and keeps a cache a session', async () => {
  await start({ lenient: false });
  const input = [{ role: 'user', content: 'word '.repeat(2000) }];
  const body = { model: 'sim', store: false, stream: true, prompt_cache_key: 'ses', input };
  const refused = (detail: string) => `400 ${JSON.stringify({ detail })}`;
  expect([
    await askCodex(body, { 'session-id': '' }),
    await askCodex(body, { 'chatgpt-account-id': '' }),
    await askCodex(body, { 'openai-beta': '' }),
    await askCodex({ ...body, store: true }),
    await askCodex({ ...body, stream: false }),
    await askCodex({ ...body, max_output_tokens: 100 }),
    await askCodex({ ...body, prompt_cache_key: 'other' }),
    await askCodex({ ...body, instructions: 'be good' }),
  ]).toEqual([
    refused('Missing required header: session-id'),
    refused('Missing required header: chatgpt-account-id'),
    refused('Missing required header: OpenAI-Beta'),
    refused('Store must be set to false'),
    refused('Stream must be set to true'),
    refused('Unsupported parameter: max_output_tokens'),
    refused("session-id must equal prompt_cache_key 'other'"),
    refused("'instructions' are hardly cached: send a leading developer item."),
  ]);
  const said = [await askCodex(body), await askCodex(body)];
  said.push(await askCodex({ ...body, prompt_cache_key: 'two' }, { 'session-id': 'two' }));
  expect(said.map((text) => /"cached_tokens":(\d+)/.exec(text)?.[1])).toEqual(['0', '1920', '0']);
  gateway?.setFaults([{ fault: { kind: 'spend-limit' } }]);
  expect(await askCodex(body)).toMatch(/^429 {"error":{"type":"usage_limit_reached",.*"resets_at":\d+}}$/);
});
