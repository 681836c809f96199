import { expect, test } from '@jest/globals';
import { type ReadEntries, readEntries, readRepositoryEntries } from '@zerd/core/mcp/entries';
import { mergeEntries } from '@zerd/core/mcp/merge-entries';
import type { McpEntry } from '@zerd/core/mcp/server';

const stdio = (command: string, args: string[] = [], env = {}): McpEntry => ({ kind: 'stdio', command, args, env });
const http = (url: string, headers = {}): McpEntry => ({ kind: 'http', url, headers });

test('an entry says a command or an address; what is wrong is named with its place and takes no other along', () => {
  const check = (value: unknown, entry: McpEntry | undefined, ...faults: readonly string[]) => {
    const entries = entry === undefined ? [] : [{ name: 'a', entry }];
    const good = { name: 'b', entry: stdio('x') };
    expect(readEntries({ a: value, b: { command: 'x' } }, 'at')).toEqual({
      entries: [...entries, good],
      faults: faults.map((what) => `at.a${what}`),
    });
  };
  check({ command: 'node', args: ['s.js'], env: { A: '1' } }, stdio('node', ['s.js'], { A: '1' }));
  check({ type: 'stdio', command: 'node' }, stdio('node'));
  check({ url: 'https://x.test/mcp' }, http('https://x.test/mcp'));
  check({ type: 'http', url: 'http://x', headers: { A: 'b' } }, http('http://x', { A: 'b' }));
  check({ type: 'streamable-http', url: '${BASE}/mcp' }, http('${BASE}/mcp'));
  check({ command: 'node', cwd: '/' }, stdio('node'), ': the field cwd is not known and has no effect');
  check('node', undefined, ' is not an object');
  check({}, undefined, ' needs either a command or a url');
  check({ command: 'x', url: 'http://x' }, undefined, ' needs either a command or a url');
  check({ command: '' }, undefined, ' has a command that is no text');
  check({ command: 'x', args: 'y' }, undefined, ' has args that are no list of texts');
  check({ command: 'x', env: { A: 1 } }, undefined, ' has an env that is not texts by name');
  check({ command: 'x', args: ['a\0b'] }, undefined, ' holds a NUL character');
  check({ command: 'x', args: ['a'.repeat(70_000)] }, undefined, ' is longer than 65536 characters');
  check({ type: 'http', command: 'x' }, undefined, ' is of type http and has a command');
  check({ type: 'stdio', url: 'http://x' }, undefined, ' is of type stdio and has a url');
  check({ type: 'carrier pigeon', url: 'http://x' }, undefined, ' has a type other than stdio and http');
  check({ url: 'file:///etc' }, undefined, ' has a url that is no http or https address');
  check({ url: 'http://a:b@x' }, undefined, ' has a user or a password in its url: put it in a header');
  check({ url: 'http://x', headers: [] }, undefined, ' has headers that are not texts by name');
  check(
    { type: 'sse', url: 'http://x' },
    undefined,
    ' is reached by the old SSE transport, which zerd does not speak: give its http address',
  );
});

test('a name is of few letters, and of too many servers the first are read', () => {
  const many = Object.fromEntries(Array.from({ length: 70 }, (_, i) => [`s${i}`, { command: 'x' }]));
  expect(readEntries(many, 'at')).toMatchObject({ faults: ['at names 70 servers; 64 are read'] });
  expect(readEntries({ 'a b\u202e': { command: 'x' } }, 'at')).toEqual({
    entries: [],
    faults: ['at.a b\\u{202e}: a name is of letters, digits, - and _, 64 at most'],
  });
});

test('a .mcp.json that is none is named', () => {
  const check = (text: string, read: ReadEntries) => expect(readRepositoryEntries(text)).toEqual(read);
  check('\uFEFF{"mcpServers": {"a": {"command": "x"}}}', { entries: [{ name: 'a', entry: stdio('x') }], faults: [] });
  check('{', { entries: [], faults: ['it is not JSON'] });
  check('[]', { entries: [], faults: ['it has no object `mcpServers`'] });
  check('{"mcpServers": []}', { entries: [], faults: ['it has no object `mcpServers`'] });
});

test("the user's entry wins over one of the repository of that name, and that is said", () => {
  const [own, theirs, other] = [stdio('own'), stdio('theirs'), stdio('other')];
  const repository = [
    { name: 'b', entry: theirs },
    { name: 'a', entry: other },
  ];
  expect(mergeEntries([{ name: 'b', entry: own }], repository)).toEqual({
    entries: [
      { name: 'a', entry: other, source: 'repository' },
      { name: 'b', entry: own, source: 'user' },
    ],
    faults: ['b of this repository has no effect: your configuration has one of that name'],
  });
});
