import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { requestLimits } from '@zerd/protocol/node/framing';
import { type Link, openLink } from '@zerd/protocol/node/link';
import { WebSocket } from 'ws';
import { webAddress } from '../../src/web/address.ts';
import { admit, type Knock } from '../../src/web/admission.ts';
import { openWebDoor, type WebDoor } from '../../src/web/open-web-door.ts';

const token = 'the-token';
const plain: Knock = { host: 'localhost:7000', origin: undefined, authorization: undefined, protocols: undefined };
const bearer = `Bearer ${token}`;

test.each<[string, Partial<Knock>, number]>([
  ['S-04: a page from elsewhere, with the token', { origin: 'https://evil.example', authorization: bearer }, 403],
  ['S-04: a page of no origin, with the token', { origin: 'null', authorization: bearer }, 403],
  ['S-04: no origin and no token', {}, 401],
  ['S-05: a rebound name, with the token', { host: 'rebind.evil.example:7000', authorization: bearer }, 403],
  ['S-05: another port, with the token', { host: 'localhost:7001', authorization: bearer }, 403],
  ['S-05: no host', { host: undefined, authorization: bearer }, 403],
  ['S-05: localhost', { authorization: bearer }, 101],
  ['S-05: 127.0.0.1', { host: '127.0.0.1:7000', authorization: bearer }, 101],
  ['S-05: [::1]', { host: '[::1]:7000', authorization: bearer }, 101],
  ['S-08: from the loopback, without a token', { host: '127.0.0.1:7000' }, 401],
  ['S-13: a wrong token of the right length', { authorization: 'Bearer the-tokem' }, 401],
  ['S-13: a beginning of the token', { authorization: 'Bearer the-' }, 401],
  ['S-13: an empty token', { authorization: 'Bearer ' }, 401],
  ['a page of this machine', { origin: 'http://localhost:7000', authorization: bearer }, 101],
  ['the token as a protocol', { protocols: `zerd, zerd.token.${token}` }, 101],
  ['another token as a protocol', { protocols: 'zerd.token.x' }, 401],
])('%s', (_, knock, status) => {
  expect(admit({ ...plain, ...knock }, { port: 7000, token }).status).toBe(status);
});

test.each([
  ['7000', { host: '127.0.0.1', port: 7000 }],
  ['localhost:7000', { host: '127.0.0.1', port: 7000 }],
  ['[::1]:0', { host: '::1', port: 0 }],
])('S-03: --ws %s is served', (text, address) => {
  expect(webAddress(text)).toEqual(address);
});

test.each([
  '0.0.0.0:7000',
  ':::7000',
  '[::]:7000',
  '*:7000',
  ':7000',
  '192.168.0.7:7000',
  'evil.example:7000',
  '70000',
  'x',
  '',
])('S-03: --ws %s is refused, with the reason', (text) => {
  expect(webAddress(text)).toEqual({
    wrong: expect.stringMatching(/^--ws (?:serves only 127\.0\.0\.1|takes \[HOST:\]PORT)/),
  });
});

let door: WebDoor;
const links: Link[] = [];
beforeEach(async () => {
  door = await openWebDoor({ host: '127.0.0.1', port: 0 }, (streams) => {
    const link = openLink(streams, { limits: requestLimits });
    link.rpc.onRequest('echo', (params: unknown) => params);
    link.rpc.listen();
    links.push(link);
  });
});
afterEach(async () => {
  for (const link of links.splice(0)) link.destroy();
  await door.close();
});

const port = () => Number(new URL(door.url).port);
const dial = (options: object = {}) =>
  new WebSocket(door.url, { headers: { authorization: `Bearer ${door.token}` }, ...options });

async function echo(socket: WebSocket, params: unknown): Promise<unknown> {
  const answer = once(socket, 'message');
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'echo', params }));
  const [data] = await answer;
  return JSON.parse(String(data)).result;
}

async function opened(socket: WebSocket): Promise<WebSocket> {
  await once(socket, 'open');
  return socket;
}

/** How the connection ends, whatever ends it. */
function ending(socket: WebSocket): Promise<number> {
  return new Promise((resolve) => {
    socket.on('error', () => {});
    socket.on('close', resolve);
  });
}

test('a client with the token speaks the protocol, one message a frame', async () => {
  const socket = await opened(dial());
  expect(await echo(socket, { text: 'ä'.repeat(100_000) })).toEqual({ text: 'ä'.repeat(100_000) });
  socket.close();
  await once(socket, 'close');
});

test('S-06: without the token every path gives the same answer, and so does an upgrade', async () => {
  const answers = await Promise.all(
    (['GET', 'POST', 'OPTIONS'] as const).flatMap((method) =>
      ['/', '/rpc', '/../etc/passwd'].map((path) => ask(method, path)),
    ),
  );
  expect(new Set(answers)).toEqual(new Set(['401 Unauthorized\n']));
  expect(await ask('GET', '/', { upgrade: 'websocket', connection: 'Upgrade' })).toBe('401 Unauthorized\n');
});

function ask(method: string, path: string, headers: Record<string, string> = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port: port(), method, path, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        body += part;
      });
      response.on('end', () => resolve(`${response.statusCode} ${body}`));
    });
    call.on('error', reject);
    call.end();
  });
}

test.each<[string, () => Promise<unknown>]>([
  [
    'a message over the limit',
    async () => {
      const socket = await opened(dial());
      const end = ending(socket);
      socket.send('x'.repeat(4 * 1024 * 1024 + 1));
      return end;
    },
  ],
  [
    'a message that is no JSON-RPC',
    async () => {
      const socket = await opened(dial());
      const end = ending(socket);
      socket.send('{"no":"rpc"}');
      return end;
    },
  ],
  [
    'a binary message',
    async () => {
      const socket = await opened(dial());
      const end = ending(socket);
      socket.send(Buffer.from([1, 2, 3]));
      return end;
    },
  ],
  [
    'three thousand headers',
    () => {
      const headers = Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`x-${n}`, 'y']));
      return ending(dial({ headers: { ...headers, authorization: `Bearer ${door.token}` } }));
    },
  ],
  ['a protocol of 16 kB', () => ending(new WebSocket(door.url, ['p'.repeat(16_000)]))],
  [
    'bytes that are no HTTP',
    () => {
      const socket = connect(port(), '127.0.0.1');
      socket.on('error', () => {});
      socket.end('\0\0\0 no http\r\n\r\n');
      return once(socket, 'close');
    },
  ],
])('S-10: %s ends its own connection, and the others live on', async (_, hostile) => {
  const other = await opened(dial({ perMessageDeflate: true }));
  expect(other.extensions).toBe('');
  await hostile();
  expect(await echo(other, { still: 'here' })).toEqual({ still: 'here' });
  other.close();
});

test('a port that is taken is said by name', async () => {
  await expect(openWebDoor({ host: '127.0.0.1', port: port() }, () => {})).rejects.toThrow(
    `No WebSocket could be served on 127.0.0.1:${port()}: something else listens there. Nothing was started; name another port.`,
  );
});
