import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import { ResponseError } from 'vscode-jsonrpc/node';
import { manualClock } from '../../../test/support/manual-clock.ts';
import { type ErrorCode, errorTable, ZerdError } from '../../src/common/errors.ts';
import { openClient } from '../../src/node/client.ts';
import { createFrameReader, encodeFrame, type RpcMessage, requestLimits } from '../../src/node/framing.ts';
import { type Link, openLink } from '../../src/node/link.ts';
import { fromWire, toWire } from '../../src/node/wire-errors.ts';

const hello = { protocol: 1, daemon: { version: '0', pid: 1 }, root: '/r', epoch: 'e' };
const client = { name: 'test', version: '0' };

/** Two streams and their other ends. */
function pipes() {
  const up = new PassThrough();
  const down = new PassThrough();
  return { near: { readable: down, writable: up }, far: { readable: up, writable: down } };
}

/** A daemon of which the test writes every answer. */
function scripted(answer: (message: RpcMessage, send: (message: object) => void) => void) {
  const { near, far } = pipes();
  const seen: RpcMessage[] = [];
  const send = (message: object) => far.writable.write(encodeFrame({ jsonrpc: '2.0', ...message }));
  const frames = createFrameReader(requestLimits, (message) => {
    seen.push(message);
    if (message.method === 'initialize') send({ id: message.id, result: hello });
    else answer(message, send);
  });
  far.readable.on('data', (chunk: Buffer) => frames.push(chunk));
  return { near, far, seen };
}

const greeting = { client, env: {}, clock: manualClock(), deadlineMs: 1000 };

test('requests that are pending when the daemon goes are rejected as disconnected, and so are later ones', async () => {
  const { near, far } = scripted((message) => {
    if (message.method === 'session/list') far.writable.end();
  });
  const zerd = await openClient(near, greeting);
  const pending = [zerd.request('trust/read', {}), zerd.request('session/list', {})];
  const settled = await Promise.allSettled(pending);
  await zerd.closed;
  settled.push(...(await Promise.allSettled([zerd.request('trust/read', {})])));
  const reasons = settled.map((one) => (one.status === 'rejected' ? one.reason.code : one.value));
  expect(reasons).toEqual(['disconnected', 'disconnected', 'disconnected']);
});

test('what the daemon said right before it went is still heard', async () => {
  const { near, far } = scripted((message, send) => {
    send({ method: 'session/gap', params: { sessionId: 'ses_1', after: 1 } });
    send({ method: 'session/gap', params: { sessionId: 'ses_1', after: 2 } });
    send({ id: message.id, result: { stopping: true, runningTurns: 0 } });
    far.writable.end();
  });
  const zerd = await openClient(near, greeting);
  const gaps: number[] = [];
  zerd.onNotice('session/gap', ({ after }) => gaps.push(after));
  expect(await zerd.request('daemon/shutdown', {})).toEqual({ stopping: true, runningTurns: 0 });
  expect(gaps).toEqual([1, 2]);
  await zerd.closed;
});

test('an answer with an error rejects with the code of the table', async () => {
  const { near } = scripted((message, send) => {
    send({ id: message.id, error: toWire(new ZerdError('untrusted', 'No trust.')) });
  });
  const zerd = await openClient(near, greeting);
  await expect(zerd.request('session/list', {})).rejects.toMatchObject({ code: 'untrusted', message: 'No trust.' });
  zerd.close();
});

test('a request that is aborted rejects with the reason of its signal and is withdrawn', async () => {
  const { near, seen } = scripted(() => {});
  const zerd = await openClient(near, greeting);
  const abort = new AbortController();
  const answer = zerd.request('session/list', {}, { signal: abort.signal });
  abort.abort('enough');
  await expect(answer).rejects.toBe('enough');
  await expect(zerd.request('session/list', {}, { signal: abort.signal })).rejects.toBe('enough');
  expect(seen.map(({ method }) => method)).toEqual(['initialize', 'session/list', '$/cancelRequest']);
  zerd.close();
});

test('a request that the daemon would refuse for its size is not sent', async () => {
  const { near, seen } = scripted(() => {});
  const zerd = await openClient(near, greeting);
  const params = { model: 'x'.repeat(requestLimits.messageBytes) };
  await expect(zerd.request('session/create', params)).rejects.toMatchObject({ code: 'message_too_large' });
  expect(seen).toHaveLength(1);
  zerd.close();
});

test('a daemon that accepts and keeps silent is waited for until the deadline (F-28)', async () => {
  const { near } = pipes();
  const clock = manualClock();
  const answer = openClient(near, { client, env: {}, clock, deadlineMs: 30_000 });
  const outcome = answer.then(
    () => 'open',
    (error) => error.code,
  );
  clock.advance(29_999);
  expect(await Promise.race([outcome, Promise.resolve('waiting')])).toBe('waiting');
  clock.advance(1);
  expect(await outcome).toBe('daemon_unavailable');
  expect(near.writable.destroyed).toBe(true);
});

/** The server's end of a link, which answers every request with its method. */
function serving(): { link: Link; received: Buffer[]; write(bytes: Uint8Array | string): void; refused: unknown[] } {
  const { near, far } = pipes();
  const received: Buffer[] = [];
  const refused: unknown[] = [];
  near.readable.on('data', (chunk: Buffer) => received.push(chunk));
  const limits = { headerBytes: 100, messageBytes: 1000, depth: 8 };
  const link = openLink(far, { limits, onRefused: (error) => refused.push(error) });
  link.rpc.onRequest(async (method: string) => method);
  link.rpc.listen();
  return { link, received, refused, write: (bytes) => void near.writable.write(bytes) };
}

function checkRefusal(name: string, bytes: Uint8Array | string, code: ErrorCode): void {
  test(`${name} ends the connection and says why`, async () => {
    const { link, received, refused, write } = serving();
    write(bytes);
    await link.closed;
    expect(refused).toEqual([expect.objectContaining({ code })]);
    expect(Buffer.concat(received).toString()).toContain(`"id":null,"error":{"code":${errorTable[code].number},`);
    expect(link.ended).toBe(true);
  });
}

const framed = (body: string) => `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
checkRefusal('garbage', `${'garbage '.repeat(20)}\r\n\r\n`, 'message_too_large');
checkRefusal('an HTTP request', 'POST / HTTP/1.1\r\n\r\n', 'parse_error');
checkRefusal('an oversized message', 'Content-Length: 1001\r\n\r\n', 'message_too_large');
checkRefusal(
  'deep nesting',
  framed(`{"jsonrpc":"2.0","id":1,"method":"m","params":${'['.repeat(99)}`),
  'message_too_large',
);
checkRefusal('broken JSON', framed('{"jsonrpc":"2.0"'), 'parse_error');
checkRefusal(
  'a cancellation without its parameters',
  encodeFrame({ jsonrpc: '2.0', method: '$/cancelRequest' }),
  'invalid_request',
);

test('what comes before a refused message is answered, unless it comes at once', async () => {
  const { link, received, write } = serving();
  write(encodeFrame({ jsonrpc: '2.0', id: 1, method: 'first' }));
  while (received.length === 0) await new Promise(setImmediate);
  write('x: y\r\n\r\n');
  await link.closed;
  expect(Buffer.concat(received).toString()).toContain('"id":1,"result":"first"');
});

test('a link ends at once with its stream, however many messages it has handled', async () => {
  const { near, far } = pipes();
  const link = openLink(near, { limits: requestLimits });
  let handled = 0;
  link.rpc.onNotification('note', () => {
    handled += 1;
  });
  link.rpc.listen();
  for (let n = 0; n < 500; n += 1) far.writable.write(encodeFrame({ jsonrpc: '2.0', method: 'note', params: {} }));
  while (handled < 500) await new Promise(setImmediate);
  far.writable.end();
  let rounds = 0;
  for (; !link.ended && rounds < 1_000; rounds += 1) await new Promise(setImmediate);
  expect(rounds).toBeLessThan(20);
});

test('every code of the table goes over the wire and comes back the same', () => {
  for (const code of Object.keys(errorTable) as ErrorCode[]) {
    const { code: number, message, data } = toWire(new ZerdError(code, `about ${code}`));
    const back = fromWire(new ResponseError(number, message, data));
    expect([number, back.code, back.message]).toEqual([errorTable[code].number, code, `about ${code}`]);
  }
});

test('a defect goes out without its message and without its stack', () => {
  const wire = toWire(new TypeError('secret /home/ann'));
  expect(wire).toMatchObject({ code: -32603, data: { code: 'internal_error' } });
  expect(JSON.stringify(wire)).not.toMatch(/secret|ann|at /);
});
