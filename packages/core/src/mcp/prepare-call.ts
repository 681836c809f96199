/**
 * Decides what becomes of a call of an outside tool before its server hears of it: it goes there, or is refused with what
 * the model needs for its next try. A server of which nothing is known, or that failed, gets the call: it may be there.
 */
import type { JsonObject } from '@zerd/protocol/common/json';
import { argumentProblems } from './check-arguments.ts';
import { nearestTools } from './lookup.ts';
import { plainText, shortText } from './plain-text.ts';
import { schemaText } from './schema-text.ts';
import type { McpServer, McpTool } from './server.ts';

export type OutsideCall =
  | { readonly kind: 'call'; readonly server: string; readonly tool: string }
  | { readonly kind: 'refuse'; readonly text: string };

export function prepareOutsideCall(servers: readonly McpServer[], asked: string, input: JsonObject): OutsideCall {
  const slash = asked.indexOf('/');
  const [name, tool] = [asked.slice(0, slash), asked.slice(slash + 1)];
  if (slash <= 0 || tool === '')
    return refuse(`${quoted(asked)} is no tool: it is named server/tool.${near(servers, asked)}`);
  const server = servers.find((one) => one.name === name);
  if (server === undefined)
    return refuse(`there is no server ${quoted(name)}. ${serversText(servers)}${near(servers, asked)}`);
  switch (server.state.kind) {
    case 'unapproved':
      return refuse(`the user has not approved the server ${name}. Ask for it: \`zerd mcp approve ${name}\`.`);
    case 'unknown':
    case 'failed':
      return { kind: 'call', server: name, tool };
    case 'ready':
      return checked(server, server.state.tools, tool, input);
  }
}

function checked(server: McpServer, tools: readonly McpTool[], name: string, input: JsonObject): OutsideCall {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) return refuse(`${server.name} has no tool ${quoted(name)}.${near([server], name)}`);
  const problems = argumentProblems(tool.inputSchema, input);
  if (problems.length === 0) return { kind: 'call', server: server.name, tool: name };
  const found = problems.map((problem) => shortText(problem, 200)).join('; ');
  return refuse(
    `the arguments of ${server.name}/${name} do not fit: ${found}. Its schema: ${schemaText(tool.inputSchema, schemaBytes)}`,
  );
}

/** The whole refusal stays within the cap of a result. */
const schemaBytes = 2_500;

function refuse(why: string): OutsideCall {
  return { kind: 'refuse', text: `Not called: ${why}` };
}

function near(servers: readonly McpServer[], asked: string): string {
  const names = nearestTools(servers, asked);
  return names.length === 0 ? ' `find` looks tools up by words.' : ` Near it: ${names.join(', ')}.`;
}

function serversText(servers: readonly McpServer[]): string {
  const shown = servers
    .slice(0, 20)
    .map(({ name, state }) => (state.kind === 'ready' ? name : `${name} (${state.kind})`));
  return shown.length === 0 ? 'There are no servers.' : `Servers: ${shown.join(', ')}.`;
}

function quoted(text: string): string {
  return JSON.stringify(plainText(text).slice(0, 80));
}
