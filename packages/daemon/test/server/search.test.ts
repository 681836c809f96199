import { expect, test } from '@jest/globals';
import type { IndexReport } from '@zerd/protocol/common/search';
import type { SearchService } from '../../src/base/ports.ts';
import { noIndex } from '../../src/search/index-report.ts';
import type { DoctorCheck } from '../../src/server/house.ts';
import { createServer } from '../../src/server/server.ts';
import { type FakeHouse, fakeHouse, greet, pipes } from './fake-house.ts';

async function serve(house: FakeHouse) {
  const server = createServer(house);
  const join = async () => {
    const { near, far } = pipes();
    void server.attach(far);
    return greet(near);
  };
  return { server, join };
}

function withSearch(search: Partial<SearchService>): FakeHouse {
  const house = fakeHouse();
  return { ...house, search: { ...house.search, ...search } };
}

test('search/query hands the query to the port, cuts hits to the limit and leaves totals whole', async () => {
  const asked: unknown[] = [];
  const hits = [1, 2, 3].map((line) => ({ path: 'a', line, text: 'x', column: 0 }));
  const house = withSearch({
    async search(query) {
      asked.push(query);
      return { hits, totalMatches: 3, totalFiles: 1, files: [], partial: true, synced: true };
    },
  });
  const { server, join } = await serve(house);
  const client = await join();
  expect(await client.request('search/query', { pattern: 'x', wholeWord: true, limit: 2 })).toEqual({
    hits: hits.slice(0, 2),
    totalMatches: 3,
    totalFiles: 1,
    partial: true,
    synced: true,
  });
  expect(asked).toEqual([{ pattern: 'x', wholeWord: true }]);
  await server.close();
});

test('file/find ranks what is typed, and lists what a glob means', async () => {
  const house = withSearch({
    rank: async (typed, limit) => ({ paths: [`${typed}${limit}`], total: 9, synced: false }),
    find: async (pattern) => ({ paths: [pattern, 'b'], total: 2 }),
  });
  const { server, join } = await serve(house);
  const client = await join();
  expect(await client.request('file/find', { typed: 'fold' })).toEqual({ paths: ['fold50'], total: 9, synced: false });
  expect(await client.request('file/find', { typed: '*.ts', limit: 1 })).toEqual({
    paths: ['*.ts'],
    total: 2,
    synced: true,
  });
  await server.close();
});

test('the progress of the index is told to every client that has said hello', async () => {
  let tell: (report: IndexReport) => void = () => {};
  const house = withSearch({
    onIndex(listener) {
      tell = listener;
      return { [Symbol.dispose]() {} };
    },
  });
  const { server, join } = await serve(house);
  const clients = [await join(), await join()];
  const heard = clients.map((client) => new Promise((resolve) => client.onNotice('index/progress', resolve)));
  tell({ ...noIndex, state: 'building' });
  expect(await Promise.all(heard)).toEqual([
    { ...noIndex, state: 'building' },
    { ...noIndex, state: 'building' },
  ]);
  await server.close();
});

test('doctor tells each check, also beside one that fails and one that hangs', async () => {
  const checks: DoctorCheck[] = [
    { name: 'good', run: async () => ({ ok: true, says: 'Fine.' }) },
    { name: 'broken', run: () => Promise.reject(new Error('a defect')) },
    { name: 'silent', run: () => new Promise(() => {}) },
  ];
  const house = { ...fakeHouse(), checks };
  const { server, join } = await serve(house);
  const client = await join();
  const answer = client.request('daemon/doctor', {});
  while (!house.lines.some(([line]) => line === 'a check failed by a defect')) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  house.clock.advance(10_000);
  expect((await answer).checks.map(({ name, ok, says }) => [name, ok, says])).toEqual([
    ['settings', true, 'Every setting is understood.'],
    ['model', false, 'No model has its key.'],
    ['good', true, 'Fine.'],
    ['broken', false, 'The check itself failed: a defect'],
    ['silent', false, 'Gave no answer within 10 s.'],
  ]);
  await server.close();
});
