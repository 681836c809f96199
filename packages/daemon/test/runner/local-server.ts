/** A server on one's own machine: it says what it says of its window, and hands everything else on to the gateway. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LocalServer {
  readonly baseUrl: string;
  /** The paths that were asked, those of the wire aside. */
  readonly asked: readonly string[];
  /** Where the wire leads, and what the other paths answer; undefined: no answer at all. */
  serve(gateway: string, answers: Readonly<Record<string, unknown>> | undefined): void;
  close(): Promise<void>;
}

export async function startLocalServer(): Promise<LocalServer> {
  let gateway = '';
  let answers: Readonly<Record<string, unknown>> | undefined = {};
  const asked: string[] = [];

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = { 'content-type': 'application/json', authorization: request.headers.authorization ?? '' };
    const answer = await fetch(gateway + request.url, { method: 'POST', headers, body: Buffer.concat(chunks) });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    response.end(Buffer.from(await answer.arrayBuffer()));
  }

  const server = createServer((request, response) => {
    const path = request.url ?? '';
    if (path.endsWith('/completions')) return void forward(request, response).catch(() => response.destroy());
    asked.push(path);
    if (answers === undefined) return;
    const answer = answers[path];
    if (answer === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    serve(to, said) {
      gateway = to;
      answers = said;
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
