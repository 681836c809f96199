import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { manualClock } from '../../../../test/support/manual-clock.ts';
import { createProvider } from '../../src/create-provider.ts';
import type { Endpoint, Network } from '../../src/provider.ts';
import { probeWindow } from '../../src/transport/probe-window.ts';
import { failureOf, story } from '../support/attempts.ts';
import { essence, run } from '../support/collect.ts';
import { eventStream, type Gateway, startGateway } from '../support/gateway.ts';

const pem = (name: string) => readFileSync(new URL(`../support/tls/${name}.pem`, import.meta.url), 'utf8');

interface Proxy extends AsyncDisposable {
  readonly port: number;
  /** `CONNECT host:port` and `POST http://host/path`, with what the client said of itself. */
  readonly asked: readonly string[];
  readonly authorised: readonly (string | undefined)[];
}

/** Takes every name to `port` on this machine. */
async function startProxy(port: number, status = 200): Promise<Proxy> {
  const asked: string[] = [];
  const authorised: (string | undefined)[] = [];
  const sockets = new Set<Socket>();
  const server = createHttpServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    authorised.push(request.headers['proxy-authorization']);
    const { pathname } = new URL(request.url ?? '');
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    const handOn = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}${pathname}`, {
        method: request.method ?? 'GET',
        ...(request.method === 'POST' ? { body: Buffer.concat(chunks) } : {}),
      });
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
      response.end(Buffer.from(await answer.arrayBuffer()));
    };
    request.on('end', () => void handOn().catch(() => response.destroy()));
  });
  server.on('connect', (request, socket: Socket) => {
    asked.push(`CONNECT ${request.url}`);
    authorised.push(request.headers['proxy-authorization']);
    sockets.add(socket);
    socket.on('error', () => {});
    if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const inner = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      inner.pipe(socket).pipe(inner);
    });
    inner.on('error', () => socket.destroy());
    sockets.add(inner);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    authorised,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Vendor extends AsyncDisposable {
  readonly port: number;
  readonly paths: readonly string[];
}

/** Speaks TLS with a certificate of its own authority, for `provider.test` and `localhost`. */
async function startVendor(): Promise<Vendor> {
  const paths: string[] = [];
  const server = createTlsServer({ key: pem('server-key'), cert: pem('server') }, (request, response) => {
    paths.push(request.url ?? '');
    request.resume();
    request.on('end', () => eventStream(response).end(story('chat').sse));
  });
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    paths,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function startPlain(): Promise<Gateway> {
  const gateway = await startGateway();
  gateway.respond((response) => void eventStream(response).end(story('chat').sse));
  return gateway;
}

const portOf = ({ url }: Gateway) => Number(new URL(url).port);
const chat = (baseUrl: string, network: Network): Endpoint => ({ wire: 'chat', baseUrl, apiKey: 'sk-1', network });

async function answered(endpoint: Endpoint): Promise<void> {
  expect(essence(await run(createProvider(endpoint)).ended)).toEqual(essence(story('chat').events));
}

test('plain HTTP goes through the proxy of http, as a request for the whole address', async () => {
  await using gateway = await startPlain();
  await using proxy = await startProxy(portOf(gateway));
  const network = { httpProxy: `http://user:pass-1234@127.0.0.1:${proxy.port}`, httpsProxy: 'http://127.0.0.1:1' };
  await answered(chat('http://provider.test/v1', network));
  expect(proxy.asked).toEqual(['POST http://provider.test/v1/chat/completions']);
  expect(proxy.authorised).toEqual([`Basic ${Buffer.from('user:pass-1234').toString('base64')}`]);
});

test('TLS goes through the proxy of https as a tunnel, and the certificate is still that of the provider', async () => {
  await using vendor = await startVendor();
  await using proxy = await startProxy(vendor.port);
  const httpsProxy = `127.0.0.1:${proxy.port}`;
  await answered(chat('https://provider.test/v1', { httpsProxy, extraCa: pem('authority') }));
  expect(proxy.asked).toEqual(['CONNECT provider.test:443']);
  expect(vendor.paths).toEqual(['/v1/chat/completions']);
  const refused = await failureOf(
    run(createProvider(chat('https://other.test/v1', { httpsProxy, extraCa: pem('authority') }))),
  );
  expect(refused).toMatchObject({ code: 'provider_unreachable', retryable: false });
});

test('a proxy of http is none for https', async () => {
  await using vendor = await startVendor();
  await using proxy = await startProxy(vendor.port);
  const network = { httpProxy: `http://127.0.0.1:${proxy.port}`, extraCa: pem('authority') };
  const failed = await failureOf(run(createProvider(chat('https://0.0.0.0:2/v1', network))));
  expect(failed.code).toBe('provider_unreachable');
  expect(proxy.asked).toEqual([]);
});

test('what NO_PROXY lists, and everything on this machine, is reached directly', async () => {
  await using gateway = await startPlain();
  await using proxy = await startProxy(portOf(gateway));
  const httpProxy = `http://127.0.0.1:${proxy.port}`;
  const { port } = new URL(gateway.url);
  for (const host of ['127.0.0.1', 'localhost']) await answered(chat(`http://${host}:${port}/v1`, { httpProxy }));
  expect(proxy.asked).toEqual([]);
  const hosts = ['0.0.0.0', '.0.0', 'a.test, 0.0.0.0:2', '*.0', '*'];
  for (const noProxy of hosts) {
    const failed = await failureOf(run(createProvider(chat('http://0.0.0.0:2/v1', { httpProxy, noProxy }))));
    expect(failed.code).toBe('provider_unreachable');
  }
  expect(proxy.asked).toEqual([]);
  await answered(chat('http://0.0.0.0:2/v1', { httpProxy, noProxy: '0.0.0.0:8080, 10.0.0.0, other' }));
  expect(proxy.asked).toHaveLength(1);
});

test('an authority of the user is trusted beside the built-in ones, and without it the connection is refused', async () => {
  await using vendor = await startVendor();
  const baseUrl = `https://localhost:${vendor.port}/v1`;
  expect(await failureOf(run(createProvider({ wire: 'chat', baseUrl, apiKey: 'sk-1' })))).toMatchObject({
    code: 'provider_unreachable',
    message: expect.stringMatching(/^No secure connection to localhost:\d+ \(.*VERIFY.*\)\. .*NODE_EXTRA_CA_CERTS/),
    retryable: false,
  });
  await answered(chat(baseUrl, { extraCa: pem('authority') }));
  expect(vendor.paths).toHaveLength(1);
});

test('a proxy that refuses, or is not there, is named as the proxy, without its password', async () => {
  await using proxy = await startProxy(1, 407);
  const at = (port: number): Network => ({ httpsProxy: `http://user:pass-1234@127.0.0.1:${port}` });
  const { message } = await failureOf(run(createProvider(chat('https://provider.test/v1', at(proxy.port)))));
  expect(message).toMatch(/^No connection to provider\.test:443 through the proxy 127\.0\.0\.1:\d+ \(.*407.*\)/);
  const gone = await failureOf(run(createProvider(chat('https://provider.test/v1', at(1)))));
  expect(gone.message).toMatch(/through the proxy 127\.0\.0\.1:1 \(ECONNREFUSED\)/);
  expect(message + gone.message).not.toContain('pass-1234');
});

test('a server is asked for its window the same way', async () => {
  await using gateway = await startGateway();
  gateway.respond((response) => void response.end(JSON.stringify({ data: [{ id: 'm', max_model_len: 4096 }] })));
  await using proxy = await startProxy(portOf(gateway));
  const endpoint = chat('http://provider.test/v1', { httpProxy: `http://127.0.0.1:${proxy.port}` });
  expect(await probeWindow(endpoint, 'm', manualClock())).toEqual({ tokens: 4096, server: 'vLLM' });
  expect(proxy.asked[0]).toBe('GET http://provider.test/api/ps');
});
