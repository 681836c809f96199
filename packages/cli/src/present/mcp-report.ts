/** What a person sees of outside tools. Whatever comes from a server or an entry is safe to draw. */
import type { ResultOf } from '@zerd/protocol/common/methods';
import { sanitise, sanitiseLine } from '@zerd/protocol/common/sanitise';

export type McpList = ResultOf<'mcp/list'>;
export type McpServerRow = McpList['servers'][number];

export function mcpReport({ servers, warnings }: McpList): string {
  const rows = servers.flatMap(serverLines);
  const none = [
    'No MCP servers. Yours stand in the configuration under mcp.servers, those of a repository in its .mcp.json.',
  ];
  const lines = [...(servers.length === 0 ? none : rows), ...warnings.map((what) => `Note: ${sanitiseLine(what)}`)];
  return lines.map((line) => `${line}\n`).join('');
}

function serverLines(server: McpServerRow): readonly string[] {
  const { name, source, text, why, leftOut } = server;
  const whose = source === 'user' ? 'yours' : 'of this repository';
  return [
    `${sanitiseLine(name)} (${whose}): ${stateText(server)}`,
    `  ${sanitiseLine(text)}`,
    ...(why === undefined ? [] : [`  It could not be used: ${why.split('\n').map(sanitiseLine).join('\n    ')}`]),
    ...leftOut.map((sentence) => `  Left out: ${sanitiseLine(sentence)}`),
    ...(server.state === 'unapproved' ? [`  Not started. Say yes to it: zerd mcp approve ${sanitiseLine(name)}`] : []),
  ];
}

function stateText({ state, connected, connecting, tools }: McpServerRow): string {
  if (connecting === true) return 'being connected';
  const count = `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`;
  if (state === 'ready') return `${count}${connected ? ', connected' : ', started when one is called'}`;
  return { unknown: 'not needed yet', unapproved: 'waits for your word', failed: 'failed' }[state];
}

export function mcpTools({ name, tools }: McpServerRow): string {
  if (tools.length === 0)
    return `No tools of ${sanitiseLine(name)} are known. Connect it: zerd mcp restart ${sanitiseLine(name)}\n`;
  return tools.map((tool) => `${sanitiseLine(tool.name)}  ${sanitiseLine(tool.says)}\n`).join('');
}

/** All that the user's word is for. */
export function mcpProposal({ name, text, files, digest }: McpServerRow): string {
  const covered = files.map((file) => `    ${sanitiseLine(file)}\n`).join('');
  return [
    `${sanitiseLine(name)}, which this repository names, would be started as:\n  ${sanitiseLine(text)}\n`,
    files.length === 0 ? '' : `  with these files as they are now:\n${covered}`,
    `  digest ${sanitiseLine(digest)}\n`,
    'It runs as you, outside every session. Yes holds until a byte of this changes.\n',
  ].join('');
}

export function mcpAnswer({ content }: ResultOf<'mcp/call'>): string {
  return content
    .map((part) => {
      if (part.kind === 'text') return `${sanitise(part.text)}\n`;
      if (part.kind === 'link') return `[${sanitiseLine(part.name)}: ${sanitiseLine(part.uri)}]\n`;
      return `[${part.bytes} bytes of ${sanitiseLine(part.type)}]\n`;
    })
    .join('');
}
