/** A loopback HTTP server whose answers the test writes by hand. It keeps what was sent and which connection sent it. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly path: string;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
  /** The how-manieth connection it came on, from 1. */
  readonly connection: number;
}

export type Respond = (response: ServerResponse, received: Received) => void;

export interface Gateway extends AsyncDisposable {
  readonly url: string;
  readonly received: readonly Received[];
  /** How the next requests are answered. */
  respond(respond: Respond): void;
}

export async function startGateway(): Promise<Gateway> {
  const received: Received[] = [];
  const connections = new Map<unknown, number>();
  let respond: Respond = (response) => void response.writeHead(500).end();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = {
        path: request.url ?? '',
        body: Buffer.concat(chunks).toString('utf8'),
        headers: request.headers,
        connection: connections.get(request.socket) ?? 0,
      };
      received.push(one);
      respond(response, one);
    });
  });
  server.on('connection', (socket) => connections.set(socket, connections.size + 1));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    respond(next) {
      respond = next;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export function eventStream(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/event-stream' });
}
