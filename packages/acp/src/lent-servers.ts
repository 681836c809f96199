/**
 * Lends the daemon the MCP servers that an editor hands over with a session, with every connection to it: they are there
 * while the editor is, and come back with it.
 */
import type { McpServer } from '@agentclientprotocol/sdk';
import type { ZerdClient } from '@zerd/protocol/node/client';
import type { Reached } from './reach.ts';

export interface Lending extends Reached {
  /** What of them has no effect, a sentence each. */
  faults(): readonly string[];
}

export function lending(reached: Reached, servers: readonly McpServer[]): Lending {
  let faults: readonly string[] = [];
  return {
    root: reached.root,
    faults: () => faults,
    async connect() {
      const client = await reached.connect();
      if (servers.length > 0) faults = await lend(client, servers);
      return client;
    },
  };
}

async function lend(client: ZerdClient, servers: readonly McpServer[]): Promise<readonly string[]> {
  try {
    return (await client.request('mcp/lend', { servers: entriesOf(servers) })).faults;
  } catch (error) {
    // A daemon of an older release knows nothing of it, and a connection that broke is made again by whoever uses it.
    return [`The MCP servers of the editor are not used: ${(error as Error).message}`];
  }
}

/** As a configuration has them. A name there is of fewer characters. */
export function entriesOf(servers: readonly McpServer[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(servers.map((server) => [nameOf(server.name), entryOf(server)]));
}

function nameOf(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 64) || 'server';
}

function entryOf(server: McpServer): unknown {
  if ('command' in server) return { command: server.command, args: server.args, env: texts(server.env) };
  return { type: server.type, url: server.url, headers: texts(server.headers) };
}

function texts(pairs: readonly { readonly name: string; readonly value: string }[]): Readonly<Record<string, string>> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}
