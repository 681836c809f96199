import { expect, test } from '@jest/globals';
import type { ZerdClient } from '@zerd/protocol/node/client';
import { entriesOf, lending } from '../src/lent-servers.ts';

test('servers of an editor are handed on as a configuration has them, under names that one may have', () => {
  expect(
    entriesOf([
      { name: 'My Tickets!', command: '/bin/tickets', args: ['-x'], env: [{ name: 'TOKEN', value: 't' }] },
      { type: 'http', name: 'docs', url: 'https://docs.example.com/mcp', headers: [{ name: 'A', value: 'b' }] },
      { type: 'sse', name: 'old', url: 'https://old.example.com/sse', headers: [] },
    ]),
  ).toEqual({
    'My-Tickets-': { command: '/bin/tickets', args: ['-x'], env: { TOKEN: 't' } },
    docs: { type: 'http', url: 'https://docs.example.com/mcp', headers: { A: 'b' } },
    old: { type: 'sse', url: 'https://old.example.com/sse', headers: {} },
  });
});

test('every connection is lent them, what is wrong with one is told, and without any nothing is asked', async () => {
  const asked: unknown[] = [];
  const request = async (method: string, params: unknown) => {
    asked.push([method, params]);
    return { faults: ['servers.old is no more'] };
  };
  const reached = { root: '/repo', connect: async () => ({ request }) as unknown as ZerdClient };
  const lent = lending(reached, [{ name: 'a', command: 'x', args: [], env: [] }]);
  await lent.connect();
  await lent.connect();
  const entry = { servers: { a: { command: 'x', args: [], env: {} } } };
  expect([asked, lent.faults()]).toEqual([
    [
      ['mcp/lend', entry],
      ['mcp/lend', entry],
    ],
    ['servers.old is no more'],
  ]);
  await lending(reached, []).connect();
  expect(asked).toHaveLength(2);
});

test('a daemon that knows nothing of it is no reason for an editor to have no session', async () => {
  const request = () => Promise.reject(new Error('Unhandled method mcp/lend'));
  const reached = { root: '/repo', connect: async () => ({ request }) as unknown as ZerdClient };
  const lent = lending(reached, [{ name: 'a', command: 'x', args: [], env: [] }]);
  await lent.connect();
  expect(lent.faults()).toEqual(['The MCP servers of the editor are not used: Unhandled method mcp/lend']);
});
