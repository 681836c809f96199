/**
 * Does: serves the protocol over a WebSocket on this machine's loopback, for those who hold the token. Invariant: every
 * other request gets the same short refusal on a connection that is then closed, and reaches nothing.
 */
import { randomBytes } from 'node:crypto';
import { createServer, type Server as HttpServer, type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { Streams } from '@zerd/protocol/node/link';
import { WebSocketServer } from 'ws';
import type { WebAddress } from './address.ts';
import { type Admission, admit } from './admission.ts';
import { messageStream } from './message-stream.ts';

/** The largest message that a client may send. */
const maxPayload = 4 * 1024 * 1024;
/** Who has not asked for anything by then is let go. */
const headersTimeoutMs = 10_000;
const maxConnections = 64;

export interface WebDoor {
  readonly url: string;
  readonly token: string;
  /** Takes no more connections; those that are open stay. */
  close(): Promise<void>;
}

export async function openWebDoor({ host, port }: WebAddress, serve: (streams: Streams) => void): Promise<WebDoor> {
  const token = randomBytes(32).toString('base64url');
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload,
    perMessageDeflate: false,
    clientTracking: false,
    handleProtocols: (offered) => (offered.has('zerd') ? 'zerd' : false),
  });
  const http = createServer({ headersTimeout: headersTimeoutMs, requestTimeout: headersTimeoutMs });
  http.maxHeadersCount = 100;
  http.maxConnections = maxConnections;
  http.on('request', (request, response) => {
    const { status } = admission(request);
    // With the token, but not as a WebSocket.
    const code = status === 101 ? 426 : status;
    response.writeHead(code, { connection: 'close', 'content-type': 'text/plain' }).end(bodyOf(code));
  });
  http.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // A client that is gone is no matter of ours.
    socket.on('error', () => {});
    const { status } = admission(request);
    if (status !== 101) return void refuse(socket, status);
    sockets.handleUpgrade(request, socket, head, (client) => {
      const stream = messageStream(client);
      serve({ readable: stream, writable: stream });
    });
  });
  http.on('clientError', (_error, socket) => void socket.destroy());
  await listening(http, { host, port });
  const bound = portOf(http);

  function admission({ headers }: IncomingMessage): Admission {
    return admit(
      {
        host: headers.host,
        origin: headers.origin,
        authorization: headers.authorization,
        protocols: headers['sec-websocket-protocol'],
      },
      { port: bound, token },
    );
  }

  return {
    url: `ws://${host === '::1' ? '[::1]' : host}:${bound}`,
    token,
    close() {
      http.closeIdleConnections();
      // Its sockets are links by now: they end with the server's connections.
      http.close();
      return Promise.resolve();
    },
  };
}

function refuse(socket: Duplex, status: number): void {
  const body = bodyOf(status);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
}

function bodyOf(status: number): string {
  return `${STATUS_CODES[status]}\n`;
}

function listening(http: HttpServer, { host, port }: WebAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', (error) => reject(unlistened(error, { host, port })));
    http.listen({ host, port }, () => {
      // What goes wrong with a single connection is told to that one.
      http.removeAllListeners('error').on('error', () => {});
      resolve();
    });
  });
}

function unlistened(error: Error, { host, port }: WebAddress): ZerdError {
  const { code } = error as NodeJS.ErrnoException;
  const why = code === 'EADDRINUSE' ? 'something else listens there' : String(code ?? error.message);
  return new ZerdError(
    'daemon_unavailable',
    `No WebSocket could be served on ${host}:${port}: ${why}. Nothing was started; name another port.`,
  );
}

function portOf(http: HttpServer): number {
  const address = http.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
