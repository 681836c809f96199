import { expect, test } from '@jest/globals';
import type { ResultOf } from '@zerd/protocol/common/methods';
import type { Desk } from '../src/app/desk.ts';
import type { Item } from '../src/app/overlay.ts';
import { serverItems, serverText, showServers } from '../src/app/server-list.ts';
import { lineText } from '../src/text/style.ts';

type ServerRow = ResultOf<'mcp/list'>['servers'][number];

const row = (more: Partial<ServerRow>): ServerRow => ({
  ...{ name: 'forge', source: 'user', text: 'node forge.js', digest: 'd', files: [] },
  ...{ state: 'ready', connected: false, tools: [], leftOut: [] },
  ...more,
});
const tools = [{ name: 'get', says: 'Gets one.' }];

test.each<[string, Partial<ServerRow>, string]>([
  ['one that was not needed yet', { state: 'unknown' }, '  forge | yours · not needed yet'],
  ['one whose tools are known', { tools }, '  forge | yours · 1 tool'],
  ['one that is connected', { tools: [...tools, ...tools], connected: true }, '● forge | yours · 2 tools · connected'],
  [
    'one of the repository',
    { source: 'repository', state: 'unapproved' },
    '? forge | of the repository · waits for your word',
  ],
  [
    'one that failed, with a name that would steer the screen',
    { name: 'a\u001b[2J', state: 'failed' },
    '  a\\x1b[2J | yours · failed',
  ],
])('a server in the list: %s', (_, more, expected) => {
  expect(serverItems([row(more)]).map(({ label, detail }) => `${label} | ${detail}`)).toEqual([expected]);
});

test('a server is shown with all that it is, what is wrong with it, and its tools', () => {
  const odd = row({
    state: 'unapproved',
    source: 'repository',
    files: ['forge.js'],
    why: 'no\u202e answer',
    leftOut: ['x has no schema'],
    tools,
  });
  expect(serverText(odd)).toBe(
    [
      'node forge.js',
      '  forge.js',
      'It could not be used: no\\u{202e} answer',
      'It is not started. Say yes to it in a shell: zerd mcp approve forge',
      'Left out: x has no schema',
      '',
      'get  Gets one.',
    ].join('\n'),
  );
});

/** A desk that answers with `servers`, notes what is shown and chooses `values`, one after the other. */
async function shown(servers: readonly ServerRow[], ...values: readonly string[]): Promise<readonly string[]> {
  const notes: string[] = [];
  const left = [...values];
  const settled: Promise<unknown>[] = [];
  const desk = {
    feed: {
      request(method: string) {
        notes.push(method);
        const answer = Promise.resolve({ servers, warnings: [] });
        settled.push(answer);
        return answer;
      },
    },
    say: (_: string, text: string) => void notes.push(text),
    page: (title: string, lines: Parameters<Desk['page']>[1]) =>
      void notes.push(`${title}: ${lines.map(lineText).join('|')}`),
    choose(title: string, items: readonly Item[], pick: (value: string) => void) {
      notes.push(`${title}? ${items.map(({ label }) => label.replace('●', '').trim()).join(', ')}`);
      const value = left.shift();
      if (value !== undefined) pick(value);
    },
  } as unknown as Desk;
  await showServers(desk);
  for (const one of settled) await one;
  await new Promise((resolve) => setImmediate(resolve));
  return notes;
}

test('/mcp lists the servers, shows one and connects one anew', async () => {
  const list = ['mcp/list', 'Outside tools? forge', 'forge? Show it, Connect it anew'];
  expect(await shown([row({ tools })], 'forge', 'show')).toEqual([
    ...list,
    'mcp/list',
    'forge: node forge.js||get  Gets one.',
  ]);
  expect(await shown([row({ connected: true })], 'forge', 'restart')).toEqual([
    ...list,
    'mcp/restart',
    'forge is connected.',
  ]);
  expect(await shown([row({ state: 'failed', why: 'exit 3' })], 'forge', 'restart')).toEqual([
    ...list,
    'mcp/restart',
    'forge is not connected: exit 3.',
  ]);
  expect(await shown([])).toEqual(['mcp/list', expect.stringContaining('No MCP servers.')]);
});
