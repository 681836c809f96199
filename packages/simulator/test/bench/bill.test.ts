import { expect, test } from '@jest/globals';
import { causeInLog } from '@zerd/simulator/bench/bill/caused-in-log';
import { createAnthropicCache } from '@zerd/simulator/weigh/anthropic-cache';
import { billOf } from '@zerd/simulator/weigh/bill';
import { hi, post, start } from '../gateway/ask.ts';

test('every miss that is written into a log is called by its right name', () => {
  expect(causeInLog().filter(({ right }) => !right)).toEqual([]);
});

test('a bill counts each kind of token by its own price, and all of a long prompt by the long one', () => {
  const list = { input: 10, output: 50, cacheRead: 1, cacheWrite: 12, cacheWrite1h: 20 };
  const charged = { read: 100, write: 30, write1h: 10, uncached: 5, output: 2 };
  expect(billOf(charged, list)).toBe(100 + 20 * 12 + 10 * 20 + 50 + 100);
  expect(billOf(charged, { ...list, above: { tokens: 134, prices: { ...list, cacheRead: 3 } } })).toBe(
    300 + 20 * 12 + 10 * 20 + 50 + 100,
  );
  expect(billOf(charged, { ...list, above: { tokens: 135, prices: { ...list, cacheRead: 3 } } })).toBe(
    billOf(charged, list),
  );
});

test('a provider that loses its caches reads nothing, or only what lies before the messages', () => {
  const block = (section: 'system' | 'messages', id: number) => ({ section, id, tokens: 2_000, mark: '5m' as const });
  const request = { model: 'sim', messagesKey: '', now: 0, blocks: [block('system', 1), block('messages', 2)] };
  for (const [what, read] of [
    ['messages', 2_000],
    ['all', 0],
  ] as const) {
    const cache = createAnthropicCache();
    cache.charge(request);
    expect(cache.charge(request).read).toBe(4_000);
    cache.evict(what);
    expect(cache.charge(request).read).toBe(read);
  }
});

test('a model of its own minimum caches nothing below it', () => {
  const blocks = [{ section: 'system' as const, id: 1, tokens: 2_000, mark: '5m' as const }];
  const cache = createAnthropicCache();
  const request = { model: 'sim', messagesKey: '', now: 0, blocks, minimum: 4_096 };
  expect([cache.charge(request).write, cache.charge(request).read]).toEqual([0, 0]);
});

test('the gateway says what changed against the answer that is named, and that it knows no other', async () => {
  await start();
  const said = async (body: object) => (await post('/v1/messages', { ...hi, ...body })).json.diagnostics;
  const messages = [{ role: 'user', content: 'hello' }];
  const more = [...messages, { role: 'assistant', content: 'ok' }, { role: 'user', content: 'more' }];
  const asks = (previous_message_id: string | null) => ({ diagnostics: { previous_message_id } });
  expect(await said({ messages })).toBeUndefined();
  expect(await said({ messages, ...asks(null) })).toBeNull();
  expect(await said({ messages: more, ...asks('msg_sim_2') })).toBeNull();
  expect(await said({ messages: [{ role: 'user', content: 'other' }], ...asks('msg_sim_2') })).toMatchObject({
    cache_miss_reason: { type: 'messages_changed' },
  });
  expect(await said({ messages, system: 'new', ...asks('msg_sim_2') })).toMatchObject({
    cache_miss_reason: { type: 'system_changed' },
  });
  expect(await said({ messages, ...asks('msg_none') })).toEqual({
    cache_miss_reason: { type: 'previous_message_not_found' },
  });
});
