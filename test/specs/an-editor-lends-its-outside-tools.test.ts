/** The MCP servers that an editor hands over with a session are used in it while the editor is there, and end with it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { McpServer } from '@agentclientprotocol/sdk';
import { expect, test } from '@jest/globals';
import { allow, openEditor, textOf } from '../support/editor.ts';
import { type House, inHouse } from '../support/house.ts';
import { processesWith } from '../support/left-alive.ts';

const server = join(import.meta.dirname, '../support/mcp-server.mjs');
const helper = { command: process.execPath, args: [server], env: [{ name: 'MCP_NOTES', value: 'notes' }] };

async function eventually(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 25));
}

function called({ repository }: House): readonly string[] {
  const file = join(repository, 'notes');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  return lines.flatMap((line) => (JSON.parse(line) as { tool?: string }).tool ?? []);
}

test('an editor lends its servers: the model calls them with the word of the user, and they end with the editor', async () => {
  const steps = [
    { calls: [{ name: 'mcp', input: { tool: 'My-helper/echo', arguments: { text: 'hello' } } }] },
    { text: 'Said.' },
  ];
  await inHouse({ steps }, async (house) => {
    await house.zerd(['trust']);
    const editor = await openEditor(house, { permit: allow });
    const mcpServers: McpServer[] = [
      { name: 'My helper', ...helper },
      { type: 'sse', name: 'old', url: 'http://127.0.0.1:1', headers: [] },
    ];
    const { sessionId } = await editor.agent.request('session/new', { cwd: house.repository, mcpServers });
    const prompt = [{ type: 'text' as const, text: 'Say hello' }];
    expect(await editor.agent.request('session/prompt', { sessionId, prompt })).toEqual({ stopReason: 'end_turn' });
    expect(called(house)).toEqual(['echo']);
    expect(editor.asked.map(({ toolCall }) => toolCall.title)).toEqual(['outside tool My-helper/echo']);
    const titles = editor.updates.flatMap((update) => (update.sessionUpdate === 'tool_call' ? [update.title] : []));
    expect(titles).toContain('mcp My-helper/echo {"text":"hello"}');
    expect(textOf(editor.updates, 'agent_message_chunk')).toMatch(
      /^servers\.old is reached by the old SSE transport.*\nSaid\.$/,
    );
    await editor.close();
    await eventually(() => processesWith(server).length === 0);
  });
}, 60_000);
