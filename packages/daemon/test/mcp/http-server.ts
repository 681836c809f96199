/** An MCP server over Streamable HTTP on the loopback, which a test tells how to answer. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HttpServer extends AsyncDisposable {
  readonly url: string;
  /** `method path` of each request, with its session and its authorization where it has them. */
  readonly asked: readonly string[];
  /** Answers instead of the server; true: it did. */
  instead: (message: Message, response: ServerResponse, request: IncomingMessage) => boolean;
  /** As an event of a stream, not as one document. */
  streams: boolean;
}

export interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, never>>;
}

export async function httpServer(): Promise<HttpServer> {
  const asked: string[] = [];
  const server = createServer((request, response) => void take(request, response));

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const message = JSON.parse(Buffer.concat(chunks).toString()) as Message;
    const { authorization = '', 'mcp-session-id': session = '' } = request.headers;
    asked.push([message.method, authorization, session].filter((word) => word !== '').join(' '));
    if (http.instead(message, response, request)) return;
    if (message.id === undefined) return void response.writeHead(202).end();
    const text = JSON.stringify({ jsonrpc: '2.0', id: message.id, result: resultOf(message) });
    const type = http.streams ? 'text/event-stream' : 'application/json';
    response.writeHead(200, {
      'content-type': type,
      ...(message.method === 'initialize' ? { 'mcp-session-id': 's1' } : {}),
    });
    response.end(http.streams ? `: hello\n\ndata: ${text}\n\n` : text);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const http: HttpServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    asked,
    instead: () => false,
    streams: false,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return http;
}

function resultOf({ method, params }: Message): unknown {
  if (method === 'initialize')
    return {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'http', version: '1' },
    };
  if (method === 'tools/list') return { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] };
  return { content: [{ type: 'text', text: JSON.stringify(params?.arguments) }] };
}
