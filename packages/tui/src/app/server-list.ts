/** `/mcp`: the servers of outside tools, how each is, and its tools. What a server says is shown as text, never drawn. */
import type { ResultOf } from '@zerd/protocol/common/methods';
import { sanitiseLine } from '@zerd/protocol/common/sanitise';
import type { Desk } from './desk.ts';
import { type Item, textLines } from './overlay.ts';
import { messageOf } from './session-link.ts';

type ServerRow = ResultOf<'mcp/list'>['servers'][number];

export async function showServers(desk: Desk): Promise<void> {
  const list = async () => await desk.feed.request('mcp/list', {});
  const { servers, warnings } = await list();
  for (const warning of warnings) desk.say('warn', sanitiseLine(warning));
  if (servers.length === 0)
    return desk.say('dim', 'No MCP servers. Yours stand in the configuration, those of a repository in its .mcp.json.');
  desk.choose(
    'Outside tools',
    serverItems(servers),
    (name) => chooseWhat(desk, name),
    async () => serverItems((await list()).servers),
  );
}

const states = { unknown: 'not needed yet', unapproved: 'waits for your word', failed: 'failed' } as const;

export function serverItems(servers: readonly ServerRow[]): readonly Item[] {
  return servers.map((server) => {
    const { name, source, state, connected, tools } = server;
    const count = `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`;
    const details = [
      source === 'user' ? 'yours' : 'of the repository',
      ...(state === 'ready' ? [count, ...(connected ? ['connected'] : [])] : [states[state]]),
    ];
    return { label: `${mark(server)} ${sanitiseLine(name)}`, detail: details.join(' · '), value: name };
  });
}

function mark({ state, connected }: ServerRow): string {
  if (state === 'unapproved') return '?';
  return connected ? '●' : ' ';
}

function chooseWhat(desk: Desk, name: string): void {
  const items = [
    { label: 'Show it', detail: 'what it is, and its tools', value: 'show' },
    { label: 'Connect it anew', detail: 'what is called of it meanwhile gets no answer', value: 'restart' },
  ];
  desk.choose(name, items, (value) => {
    const done = value === 'restart' ? restart(desk, name) : show(desk, name);
    done.catch((error: unknown) => desk.say('bad', messageOf(error)));
  });
}

async function show(desk: Desk, name: string): Promise<void> {
  const { servers } = await desk.feed.request('mcp/list', {});
  const server = servers.find((one) => one.name === name);
  if (server === undefined) return desk.say('warn', `There is no server ${sanitiseLine(name)} any more.`);
  desk.page(sanitiseLine(name), textLines(serverText(server)));
}

async function restart(desk: Desk, name: string): Promise<void> {
  const { servers } = await desk.feed.request('mcp/restart', { name });
  const server = servers.find((one) => one.name === name);
  const why = server?.why === undefined ? '' : `: ${sanitiseLine(server.why)}`;
  if (server?.state === 'ready' && server.connected) return desk.say('good', `${sanitiseLine(name)} is connected.`);
  desk.say('warn', `${sanitiseLine(name)} is not connected${why}.`);
}

export function serverText({ name, text, state, why, files, leftOut, tools }: ServerRow): string {
  const shown = [
    text,
    ...files.map((file) => `  ${file}`),
    ...(why === undefined ? [] : [`It could not be used: ${why}`]),
    ...(state === 'unapproved' ? [`It is not started. Say yes to it in a shell: zerd mcp approve ${name}`] : []),
    ...leftOut.map((sentence) => `Left out: ${sentence}`),
    ...(tools.length === 0 ? [] : ['', ...tools.map((tool) => `${tool.name}  ${tool.says}`)]),
  ];
  return shown.map((line) => sanitiseLine(line)).join('\n');
}
