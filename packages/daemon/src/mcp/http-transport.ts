/** Reaches a server at an address: Streamable HTTP of the SDK, over the connections that providers are reached by. */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { McpEntry } from '@zerd/core/mcp/server';
import type { Network } from '@zerd/providers/provider';
import { boundedFetch } from '@zerd/providers/transport/bounded-fetch';
import { mostMessageBytes } from './stdio-transport.ts';

/** A stream that breaks is not taken up again behind our back: a call that waits for it ends by its deadline. */
const noReconnection = {
  maxRetries: 0,
  initialReconnectionDelay: 1_000,
  maxReconnectionDelay: 1_000,
  reconnectionDelayGrowFactor: 1,
};

export function httpTransport(
  { url, headers }: Extract<McpEntry, { kind: 'http' }>,
  network: Network | undefined,
): { readonly transport: Transport; readonly lastWords: () => string } {
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: boundedFetch(url, network, mostMessageBytes),
    requestInit: { headers: { ...headers } },
    reconnectionOptions: noReconnection,
  });
  return { transport: transport as Transport, lastWords: () => '' };
}
