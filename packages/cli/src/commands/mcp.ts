/** `zerd mcp`: outside tools: which there are, the user's word for those of a repository, and calls by hand. */
import { ZerdError } from '@zerd/protocol/common/errors';
import { safeJson } from '@zerd/protocol/common/sanitise';
import type { ZerdClient } from '@zerd/protocol/node/client';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { type McpServerRow, mcpAnswer, mcpProposal, mcpReport, mcpTools } from '../present/mcp-report.ts';
import type { Terminal } from '../terminal.ts';

const actions = ['list', 'tools', 'approve', 'revoke', 'restart', 'call'] as const;
type Action = (typeof actions)[number];

export const mcpCommand = defineCommand({
  name: 'mcp',
  usage: 'mcp [action] [server] [input]',
  says: 'Shows MCP servers and their tools, and takes your word for those of a repository',
  positionals: {
    action: { type: 'string', describe: 'list, tools, approve, revoke, restart or call', defaultDescription: 'list' },
    server: { type: 'string', describe: 'By its name; for call: SERVER/TOOL' },
    input: { type: 'string', describe: 'For call: the arguments as JSON', defaultDescription: '{}' },
  },
  options: ['yes', 'digest', 'json'],
  examples: [
    ['zerd mcp', 'Which there are, and how they are'],
    ['zerd mcp approve NAME', 'Shows what would be started, and asks'],
    ['zerd mcp approve NAME --yes --digest HEX', 'In a script: exactly what was looked at before'],
    ['zerd mcp revoke NAME', 'Takes that back and ends the server'],
    [`zerd mcp call NAME/TOOL '{"text": "hello"}'`, 'By hand, outside every session'],
  ],
  epilogue: 'Exit status of call: 0 the tool did it, 1 it did not.',
  complaint: ({ action = 'list', server, yes, digest }) => {
    if (!isAction(action)) return `'${action}' is not one of ${actions.slice(0, -1).join(', ')} or ${actions.at(-1)}.`;
    if (action !== 'list' && server === undefined) return `Say which server: zerd mcp ${action} NAME`;
    if (action === 'call' && !server?.includes('/')) return 'Say which tool: zerd mcp call SERVER/TOOL';
    if ((yes === true) !== (digest !== undefined))
      return 'Use --yes and --digest together: what was looked at is said yes to.';
    return undefined;
  },
  async perform({ action = 'list', server = '', input = '{}', yes, digest, json }, { terminal, connect }) {
    const client = await connect('daemon');
    try {
      return await act(client, terminal, { action: action as Action, server, input, yes, digest, json });
    } finally {
      client.close();
    }
  },
});

interface Wish {
  readonly action: Action;
  readonly server: string;
  readonly input: string;
  readonly yes: boolean | undefined;
  readonly digest: string | undefined;
  readonly json: boolean | undefined;
}

async function act(client: ZerdClient, terminal: Terminal, wish: Wish): Promise<number> {
  const { action, server, json } = wish;
  const print = (value: unknown, text: string) => terminal.out(json === true ? `${safeJson(value)}\n` : text);
  switch (action) {
    case 'list': {
      const list = await client.request('mcp/list', {});
      print(list, mcpReport(list));
      return exitCode.done;
    }
    case 'tools': {
      const row = await find(client, server);
      print(row.tools, mcpTools(row));
      return exitCode.done;
    }
    case 'approve':
      return approve(client, terminal, wish);
    case 'revoke': {
      const { revoked } = await client.request('mcp/revoke', { name: server });
      terminal.out(
        revoked ? `${server} is not started any more.\n` : `There was no word for ${server} to take back.\n`,
      );
      return exitCode.done;
    }
    case 'restart': {
      const list = await client.request('mcp/restart', { name: server });
      const one = { servers: list.servers.filter(({ name }) => name === server), warnings: [] };
      print(one, mcpReport(one));
      return one.servers.every(({ state, why }) => state === 'ready' && why === undefined)
        ? exitCode.done
        : exitCode.failed;
    }
    case 'call':
      return call(client, terminal, wish);
  }
}

async function approve(client: ZerdClient, terminal: Terminal, { server, yes, digest }: Wish): Promise<number> {
  const row = await find(client, server);
  if (row.source === 'user') {
    terminal.out(`${row.name} stands in your own configuration and needs no other word.\n`);
    return exitCode.done;
  }
  terminal.out(mcpProposal(row));
  if (yes !== true && !(await saysYes(terminal))) return exitCode.failed;
  await client.request('mcp/approve', { name: row.name, digest: digest ?? row.digest });
  terminal.out(`Approved: ${row.name}.\n`);
  return exitCode.done;
}

async function saysYes(terminal: Terminal): Promise<boolean> {
  if (!terminal.inputIsTerminal) {
    terminal.err(
      'zerd: Nothing was approved: nobody is here to ask. In a script: --yes --digest with the digest above.\n',
    );
    return false;
  }
  terminal.err('Start it from now on when it is needed? [y/N] ');
  const said = await terminal.readLine(new AbortController().signal);
  if (/^y(es)?$/i.test(said?.trim() ?? '')) return true;
  terminal.err('Nothing was approved.\n');
  return false;
}

async function call(client: ZerdClient, terminal: Terminal, { server, input, json }: Wish): Promise<number> {
  const at = server.indexOf('/');
  const wish = { server: server.slice(0, at), tool: server.slice(at + 1), arguments: objectOf(input) };
  const answer = await client.request('mcp/call', wish);
  terminal.out(json === true ? `${safeJson(answer)}\n` : mcpAnswer(answer));
  return answer.outcome === 'ok' ? exitCode.done : exitCode.failed;
}

function objectOf(text: string): Record<string, unknown> {
  const value = parsed(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new ZerdError(
    'invalid_params',
    `The arguments are no object of JSON: '{"name": "value"}'. Nothing was called.`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function find(client: ZerdClient, name: string): Promise<McpServerRow> {
  const { servers } = await client.request('mcp/list', {});
  const row = servers.find((one) => one.name === name);
  if (row !== undefined) return row;
  const known = servers.length === 0 ? 'there are none' : servers.map((one) => one.name).join(', ');
  throw new ZerdError('invalid_params', `There is no MCP server ${JSON.stringify(name)}. Known: ${known}.`);
}

function isAction(word: string): word is Action {
  return actions.some((action) => action === word);
}
