/** Worked by hand: blocks are letters with a size, a mark is a star. */
import { expect, test } from '@jest/globals';
import { createAnthropicCache, type MarkedBlock } from '../../src/weigh/anthropic-cache.ts';

interface Row {
  /** `T` tools, `S` system, anything else messages: 'T:600 S:500* a:300*'. `**` lives an hour. */
  readonly blocks: string;
  readonly model?: string;
  readonly key?: string;
  readonly at?: number;
  /** read / write / uncached */
  readonly pays: string;
}

function check(rows: readonly Row[], ttlMs?: number): void {
  const cache = createAnthropicCache(ttlMs);
  const paid = rows.map(({ blocks, model = 'sim', key = '', at = 0 }) => {
    const { read, write, uncached } = cache.charge({ model, messagesKey: key, now: at, blocks: blocksOf(blocks) });
    return `${read} / ${write} / ${uncached}`;
  });
  expect(paid).toEqual(rows.map((row) => row.pays));
}

const ids = new Map<string, number>();

function blocksOf(text: string): readonly MarkedBlock[] {
  return text.split(' ').map((word) => {
    const [name = '', size = ''] = word.split(':');
    const id = ids.get(name) ?? ids.size;
    ids.set(name, id);
    const section = name.startsWith('T') ? 'tools' : name.startsWith('S') ? 'system' : 'messages';
    const mark = size.endsWith('**') ? '1h' : size.endsWith('*') ? '5m' : undefined;
    return { section, id, tokens: Number.parseInt(size, 10), ...(mark === undefined ? {} : { mark }) };
  });
}

/** 'x1:10 x2:10 ...', the last one marked. */
const run = (name: string, count: number) => `${Array.from({ length: count }, (_, i) => `${name}${i}:10`).join(' ')}*`;

test('entries exist only at marks', () => {
  check([
    { blocks: 'T:600 S:500* a:300', pays: '0 / 1100 / 300' },
    { blocks: 'T:600 S:500* a:300 b:200*', pays: '1100 / 500 / 0' },
    { blocks: 'T:600 S:500 a:300 b:200 c:100', pays: '0 / 0 / 1700' },
    { blocks: 'T:600 S:500 a:300 b:200 c:100*', pays: '1600 / 100 / 0' },
  ]);
});

test('below 1,024 tokens nothing is kept, at 1,024 it is', () => {
  check([
    { blocks: 'S:1023* a:1', pays: '0 / 0 / 1024' },
    { blocks: 'S:1023* a:1', pays: '0 / 0 / 1024' },
    { blocks: 'S:1023* a:1*', pays: '0 / 1024 / 0' },
    { blocks: 'S:1023* a:1*', pays: '1024 / 0 / 0' },
  ]);
});

test('a mark finds an entry 20 blocks before it, and not 21', () => {
  check([
    { blocks: 'S:2000 a:10*', pays: '0 / 2010 / 0' },
    { blocks: `S:2000 a:10 ${run('p', 20)}`, pays: '2010 / 200 / 0' },
  ]);
  check([
    { blocks: 'S:2000 a:10*', pays: '0 / 2010 / 0' },
    { blocks: `S:2000 a:10 ${run('p', 21)}`, pays: '0 / 2220 / 0' },
  ]);
});

test('a mark on the way saves what is too far from the last one', () => {
  check([
    { blocks: 'S:2000 a:10*', pays: '0 / 2010 / 0' },
    { blocks: `S:2000 a:10 ${run('p', 15)} ${run('q', 15)}`, pays: '2010 / 300 / 0' },
  ]);
});

test('a changed block loses what is behind it', () => {
  check([
    { blocks: 'T:600 S:500* a:300 b:200*', pays: '0 / 1600 / 0' },
    { blocks: 'T:600 S:500* A:300 b:200*', pays: '1100 / 500 / 0' },
    { blocks: 'T2:600 S:500* a:300 b:200*', pays: '0 / 1600 / 0' },
    { blocks: 'T:600 S:500* a:300 b:200*', pays: '1600 / 0 / 0' },
  ]);
});

test('a change of tool_choice or thinking loses the messages and keeps tools and system', () => {
  check([
    { blocks: 'T:600 S:500* a:300*', pays: '0 / 1400 / 0' },
    { blocks: 'T:600 S:500* a:300*', key: 'none', pays: '1100 / 300 / 0' },
    { blocks: 'T:600 S:500* a:300*', pays: '1400 / 0 / 0' },
  ]);
});

test('each model has its own cache', () => {
  check([
    { blocks: 'S:2000*', pays: '0 / 2000 / 0' },
    { blocks: 'S:2000*', model: 'other', pays: '0 / 2000 / 0' },
    { blocks: 'S:2000*', pays: '2000 / 0 / 0' },
  ]);
});

test('entries end with their lifetime, use renews it, and an hour is an hour', () => {
  const minutes = 60_000;
  const rows: readonly Row[] = [
    { blocks: 'S:2000** a:100*', at: 0, pays: '0 / 2100 / 0' },
    { blocks: 'S:2000** a:100*', at: 4 * minutes, pays: '2100 / 0 / 0' },
    { blocks: 'S:2000** a:100*', at: 8 * minutes, pays: '2100 / 0 / 0' },
    { blocks: 'S:2000** a:100*', at: 13 * minutes, pays: '2000 / 100 / 0' },
    { blocks: 'S:2000** a:100*', at: 73 * minutes, pays: '0 / 2100 / 0' },
  ];
  check(rows, 5 * minutes);
});

test('without a lifetime nothing expires', () => {
  check([
    { blocks: 'S:2000*', at: 0, pays: '0 / 2000 / 0' },
    { blocks: 'S:2000*', at: 1e12, pays: '2000 / 0 / 0' },
  ]);
});

test('what was written for an hour is told apart', () => {
  const cache = createAnthropicCache();
  const share = cache.charge({ model: 'sim', messagesKey: '', now: 0, blocks: blocksOf('S:2000** a:100* b:50') });
  expect(share).toEqual({ read: 0, write: 2100, write1h: 2000, uncached: 50 });
});

test('an entry can be read only once the answer of the request that writes it has begun', () => {
  const cache = createAnthropicCache();
  const request = { model: 'sim', messagesKey: '', now: 0, blocks: blocksOf('S:2000* a:100') };
  const writes: (() => void)[] = [];
  const ask = () => cache.charge(request, (write) => writes.push(write)).read;
  expect([ask(), ask()]).toEqual([0, 0]);
  writes[0]?.();
  expect(ask()).toBe(2000);
});
