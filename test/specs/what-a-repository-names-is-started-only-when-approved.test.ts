/** Outside tools of a repository, from its `.mcp.json` to the user's word and back. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { type House, inHouse } from '../support/house.ts';

const program = readFileSync(join(import.meta.dirname, '../support/mcp-server.mjs'), 'utf8');
const entry = { command: process.execPath, args: ['server.mjs'], env: { MCP_NOTES: 'notes' } };
const mcpJson = JSON.stringify({ mcpServers: { local: entry } });

const started = (house: House) => existsSync(join(house.repository, 'notes'));
const list = async (house: House) => JSON.parse((await house.zerd(['mcp', '--json'])).stdout).servers;
const echo = (house: House) => house.zerd(['mcp', 'call', 'local/echo', '{"text": "hello"}']);

async function approve(house: House): Promise<void> {
  const [{ digest }] = await list(house);
  expect((await house.zerd(['mcp', 'approve', 'local', '--yes', '--digest', digest])).code).toBe(0);
}

test('S-22, S-26, S-27: nothing is started before trust, before a word, or after one byte has changed', async () => {
  const files = { '.mcp.json': mcpJson, 'server.mjs': program };
  await inHouse({ files }, async (house) => {
    expect(await list(house)).toEqual([]);
    expect((await echo(house)).code).toBe(1);
    await house.zerd(['trust']);
    expect(await list(house)).toMatchObject([{ name: 'local', state: 'unapproved', files: ['server.mjs'] }]);
    expect((await echo(house)).stdout).toContain("local waits for the user's word");
    expect((await house.zerd(['mcp', 'approve', 'local'])).code).toBe(1);
    expect(started(house)).toBe(false);

    await approve(house);
    expect(await echo(house)).toEqual({ code: 0, stdout: 'hello\n', stderr: '' });
    expect(started(house)).toBe(true);

    writeFileSync(join(house.repository, 'server.mjs'), `${program} `);
    expect((await echo(house)).code).toBe(1);
    expect(await list(house)).toMatchObject([{ state: 'unapproved', connected: false, tools: [] }]);
    await approve(house);
    expect((await echo(house)).stdout).toBe('hello\n');
    await house.zerd(['mcp', 'revoke', 'local']);
    expect((await echo(house)).code).toBe(1);
    expect((await house.zerdd(['stop'])).code).toBe(0);
  });
});

test('S-26: what a model writes into .mcp.json in mode full is started by nobody', async () => {
  const write = (path: string, content: string) => ({ name: 'write', input: { path, content } });
  const steps = [
    { calls: [write('server.mjs', program), write('.mcp.json', mcpJson)] },
    { text: 'It is there.' },
    { text: 'Still there.' },
  ];
  await inHouse({ steps }, async (house) => {
    for (const text of ['Write it', 'Use it'])
      expect((await house.zerd(['run', '--mode', 'full', '--trust', text])).code).toBe(0);
    expect(existsSync(join(house.repository, '.mcp.json'))).toBe(true);
    await house.zerd(['trust']);
    expect(await list(house)).toMatchObject([{ name: 'local', state: 'unapproved' }]);
    expect(started(house)).toBe(false);
  });
});
