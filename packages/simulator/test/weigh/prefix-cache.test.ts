/** Worked by hand: a block is `name:size`; its tokens count up from a number of its own, `~n` changes its last n tokens. */
import { expect, test } from '@jest/globals';
import { createPrefixCache } from '../../src/weigh/prefix-cache.ts';
import type { Counted } from '../../src/weigh/tokens.ts';

interface Row {
  readonly blocks: string;
  readonly model?: string;
  readonly at?: number;
  /** read / uncached */
  readonly pays: string;
}

function check(rows: readonly Row[], ttlMs?: number): void {
  const cache = createPrefixCache(ttlMs);
  const paid = rows.map(({ blocks, model = 'sim', at = 0 }) => {
    const { read, write, uncached } = cache.charge({ model, now: at, blocks: blocks.split(' ').map(blockOf) });
    expect(write).toBe(0);
    return `${read} / ${uncached}`;
  });
  expect(paid).toEqual(rows.map((row) => row.pays));
}

const ids = new Map<string, number>();

function blockOf(word: string): Counted {
  const [name = '', size = '', changed = '0'] = word.split(/[:~]/);
  const id = ids.get(word) ?? ids.size;
  ids.set(word, id);
  const first = 1000 * name.charCodeAt(0);
  const tokens = Uint32Array.from({ length: Number(size) }, (_, i) => first + i);
  for (let i = Number(size) - Number(changed); i < Number(size); i++) tokens[i] = 7;
  return { id, tokens };
}

test('the longest equal prefix counts, in steps of 128 from 1,024', () => {
  check([
    { blocks: 'a:1000 b:23', pays: '0 / 1023' },
    { blocks: 'a:1000 b:23 c:900', pays: '0 / 1923' },
    { blocks: 'a:1000 b:23 c:900 d:10', pays: '1920 / 13' },
    { blocks: 'a:1000 b:24', pays: '0 / 1024' },
    { blocks: 'a:1000 b:24 d:300', pays: '1024 / 300' },
  ]);
});

test('a prefix ends inside a block where its tokens differ', () => {
  check([
    { blocks: 'a:1000 b:600', pays: '0 / 1600' },
    { blocks: 'a:1000 b:600~200 c:50', pays: '1280 / 370' },
    { blocks: 'a:1000 b:600~577', pays: '0 / 1600' },
  ]);
});

test('the best of several earlier requests counts', () => {
  check([
    { blocks: 'a:1280 b:128', pays: '0 / 1408' },
    { blocks: 'a:1280 c:256', pays: '1280 / 256' },
    { blocks: 'a:1280 c:256 d:5', pays: '1536 / 5' },
    { blocks: 'a:1280 b:128 d:5', pays: '1408 / 5' },
  ]);
});

test('each model has its own cache', () => {
  check([
    { blocks: 'a:2048', pays: '0 / 2048' },
    { blocks: 'a:2048', model: 'other', pays: '0 / 2048' },
    { blocks: 'a:2048', pays: '2048 / 0' },
  ]);
});

test('entries end with their lifetime on the virtual clock, use renews it, and without one nothing expires', () => {
  const rows = (last: string): readonly Row[] => [
    { blocks: 'a:2048', at: 0, pays: '0 / 2048' },
    { blocks: 'a:2048', at: 900, pays: '2048 / 0' },
    { blocks: 'a:2048', at: 1800, pays: '2048 / 0' },
    { blocks: 'a:2048', at: 2800, pays: last },
  ];
  check(rows('0 / 2048'), 1000);
  check(rows('2048 / 0'));
});

test('an entry can be read only once the answer of the request that writes it has begun', () => {
  const cache = createPrefixCache();
  const request = { model: 'sim', now: 0, blocks: [blockOf('a:2048')] };
  const writes: (() => void)[] = [];
  const ask = () => cache.charge(request, (write) => writes.push(write)).read;
  expect([ask(), ask()]).toEqual([0, 0]);
  writes[0]?.();
  expect(ask()).toBe(2048);
});
