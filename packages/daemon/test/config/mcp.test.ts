import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { usualMcpDeadlines } from '@zerd/core/mcp/settings';
import { loadConfig } from '../../src/config/load.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'zerd-config-'));
  mkdirSync(join(home, 'zerd'));
});
afterEach(() => rmSync(home, { recursive: true }));

function load(mcp: unknown) {
  writeFileSync(join(home, 'zerd', 'config.json'), JSON.stringify({ mcp }), { mode: 0o600 });
  return loadConfig({ env: { XDG_CONFIG_HOME: home } });
}

test('MCP servers and their deadlines are read, and what is not said is as usual', () => {
  const { mcp, warnings } = load({ servers: { own: { command: 'x' } }, deadlines: { callMs: 7 } });
  expect(warnings).toEqual([]);
  expect(mcp).toEqual({
    servers: [{ name: 'own', entry: { kind: 'stdio', command: 'x', args: [], env: {} } }],
    deadlines: { ...usualMcpDeadlines, callMs: 7 },
  });
});

test('an MCP server that is written down wrongly is left out by itself, and named without its values (S-64)', () => {
  const bad = { url: 'x', headers: { A: 'secret' } };
  const { broken, mcp, warnings } = load({ servers: { bad, good: { command: 'x' } } });
  expect(broken).toBeUndefined();
  expect(mcp.servers.map(({ name }) => name)).toEqual(['good']);
  expect(warnings).toEqual([
    `${join(home, 'zerd', 'config.json')}: mcp.servers.bad has a url that is no http or https address.`,
  ]);
});

test('a file that others may read is told of when it holds what a server is to be given in secret (S-64)', () => {
  const check = (server: object, warns: boolean) => {
    const file = join(home, 'zerd', 'config.json');
    load({ servers: { own: server } });
    chmodSync(file, 0o644);
    const { warnings } = loadConfig({ env: { XDG_CONFIG_HOME: home } });
    expect(warnings).toEqual(warns ? [`${file} holds a key and other users may read it: chmod 600 it.`] : []);
  };
  check({ command: 'x', env: { API_TOKEN: 'abcdefgh' } }, true);
  check({ url: 'http://x', headers: { Authorization: 'Bearer abcdefgh' } }, true);
  check({ command: 'x', env: { API_TOKEN: '${API_TOKEN}', MODE: 'something' } }, false);
  check({ url: 'http://x', headers: { Authorization: 'Bearer ${TOKEN}' } }, false);
});
