import { expect, test } from '@jest/globals';
import { fakeDaemon, start } from '../fake-daemon.ts';

const digest = 'd'.repeat(64);
const base = { source: 'repository', digest, files: [], connected: false, tools: [], leftOut: [] };
const waiting = { ...base, name: 'tickets', text: 'node t.js (env: TOKEN=…)', files: ['t.js'], state: 'unapproved' };
const ready = {
  ...base,
  name: 'docs',
  source: 'user',
  text: 'https://docs.test/mcp',
  state: 'ready',
  connected: true,
  tools: [{ name: 'find', says: 'Finds \u001b[31mpages.' }],
  leftOut: ['"a b" is no name of a tool'],
};
const failing = {
  ...base,
  name: 'broken',
  source: 'user',
  text: 'no-such',
  state: 'failed',
  why: 'it ended\nnpm\u001b[m',
};

function daemonWith(...servers: readonly object[]) {
  const daemon = fakeDaemon();
  daemon.on('mcp/list', () => ({ servers, warnings: servers.length === 0 ? [] : ['.mcp.json: x is odd.'] }));
  daemon.on('mcp/approve', () => ({}));
  daemon.on('mcp/revoke', ({ name }: { name: string }) => ({ revoked: name === 'tickets' }));
  daemon.on('mcp/call', () => ({
    outcome: 'failed',
    content: [
      { kind: 'text', text: 'It does\u001b[2J not.' },
      { kind: 'binary', type: 'image/png', bytes: 3 },
      { kind: 'link', uri: 'file:///a', name: 'a' },
    ],
  }));
  return daemon;
}

async function outcome(argv: string, daemon = daemonWith(waiting), terminal: Parameters<typeof start>[2] = {}) {
  const { screen, code } = start(['mcp', ...argv.split(' ').filter(Boolean)], daemon, terminal);
  return { code: await code, out: screen.out, err: screen.err };
}

const proposal = [
  'tickets, which this repository names, would be started as:',
  '  node t.js (env: TOKEN=…)',
  '  with these files as they are now:',
  '    t.js',
  `  digest ${digest}`,
  'It runs as you, outside every session. Yes holds until a byte of this changes.',
  '',
].join('\n');

test('servers are listed with how they are, what became of them and what waits for a word', async () => {
  expect((await outcome('', daemonWith(failing, ready, waiting))).out).toBe(
    [
      'broken (yours): failed',
      '  no-such',
      '  It could not be used: it ended',
      '    npm\\x1b[m',
      'docs (yours): 1 tool, connected',
      '  https://docs.test/mcp',
      '  Left out: "a b" is no name of a tool',
      'tickets (of this repository): waits for your word',
      '  node t.js (env: TOKEN=…)',
      '  Not started. Say yes to it: zerd mcp approve tickets',
      'Note: .mcp.json: x is odd.',
      '',
    ].join('\n'),
  );
  const slow = { ...failing, connecting: true };
  expect((await outcome('', daemonWith(slow))).out).toMatch(/^broken \(yours\): being connected\n/);
  expect((await outcome('', daemonWith())).out).toMatch(/^No MCP servers\./);
  expect((await outcome('tools docs', daemonWith(ready))).out).toBe('find  Finds \\x1b[31mpages.\n');
  expect((await outcome('tools tickets')).out).toContain('No tools of tickets are known.');
});

test('S-68: a yes is asked for behind all that it is for, and nothing else counts as one', async () => {
  for (const [said, asks] of [
    ['y', 1],
    ['Yes', 1],
    ['', 0],
    ['n', 0],
    ['yes please', 0],
    [undefined, 0],
  ] as const) {
    const daemon = daemonWith(waiting);
    const { code, out, err } = await outcome('approve tickets', daemon, { readLine: async () => said });
    const asked = daemon.requests.filter(({ method }) => method === 'mcp/approve');
    expect(asked).toEqual(asks === 1 ? [{ method: 'mcp/approve', params: { name: 'tickets', digest } }] : []);
    expect([code, out]).toEqual(asks === 1 ? [0, `${proposal}Approved: tickets.\n`] : [1, proposal]);
    expect(err).toContain('[y/N]');
  }
});

test('in a script the digest that was looked at is said yes to, and without one nothing is', async () => {
  const daemon = daemonWith(waiting);
  expect(await outcome('approve tickets', daemon, { input: 'y\n' })).toEqual({
    code: 1,
    out: proposal,
    err: 'zerd: Nothing was approved: nobody is here to ask. In a script: --yes --digest with the digest above.\n',
  });
  expect((await outcome('approve tickets --yes', daemon)).err).toContain('Use --yes and --digest together');
  expect(daemon.requests.filter(({ method }) => method === 'mcp/approve')).toEqual([]);
  expect((await outcome('approve tickets --yes --digest e', daemon, { input: '' })).code).toBe(0);
  expect(daemon.requests.at(-1)).toEqual({ method: 'mcp/approve', params: { name: 'tickets', digest: 'e' } });
});

test('a word is taken back, and one that was never given is no failure', async () => {
  expect(await outcome('revoke tickets')).toEqual({ code: 0, out: 'tickets is not started any more.\n', err: '' });
  expect((await outcome('revoke other')).out).toBe('There was no word for other to take back.\n');
});

test('a call prints what was answered, safe to draw, and its exit status says whether it was done', async () => {
  const daemon = daemonWith(ready);
  expect(await outcome('call docs/find {"a":1}', daemon)).toEqual({
    code: 1,
    out: 'It does\\x1b[2J not.\n[3 bytes of image/png]\n[a: file:///a]\n',
    err: '',
  });
  expect(daemon.requests.at(-1)?.params).toEqual({ server: 'docs', tool: 'find', arguments: { a: 1 } });
  expect((await outcome('call docs/find [1]', daemon)).err).toContain('The arguments are no object of JSON');
  expect((await outcome('call docs', daemon)).err).toContain('Say which tool: zerd mcp call SERVER/TOOL');
});

test('what is not there is named with what is', async () => {
  expect((await outcome('approve other')).err).toContain('There is no MCP server "other". Known: tickets.');
  expect((await outcome('eat tickets')).err).toContain("'eat' is not one of list, tools, approve");
  expect((await outcome('approve')).err).toContain('Say which server: zerd mcp approve NAME');
  expect((await outcome('approve docs', daemonWith(ready))).out).toContain('needs no other word');
});
