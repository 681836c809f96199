import type { ServerResponse } from 'node:http';
import { expect, test } from '@jest/globals';
import type { ProviderFailure } from '@zerd/core/model/answer';
import { failureOf, key, open, providerAt, story, wires, withGateway } from '../support/attempts.ts';
import { essence, run } from '../support/collect.ts';
import { eventStream, type Respond, startGateway } from '../support/gateway.ts';

test('an endpoint where nobody listens is unreachable, and named by host and port', async () => {
  const gateway = await startGateway();
  const { url } = gateway;
  await gateway[Symbol.asyncDispose]();
  expect(await failureOf(run(providerAt({ url }, 'chat')))).toEqual({
    code: 'provider_unreachable',
    message: `No connection to ${new URL(url).host} (ECONNREFUSED). Check baseUrl and the network.`,
    retryable: true,
  });
});

const truncations: readonly [string, (response: ServerResponse, begin: string) => void][] = [
  ['the stream ends without its terminal event', (response, begin) => void eventStream(response).end(begin)],
  ['the stream ends before the first event', (response) => void eventStream(response).end()],
  [
    'the socket is cut in the middle',
    (response, begin) => void eventStream(response).write(begin, () => response.destroy()),
  ],
  [
    'the socket is cut inside a line',
    (response, begin) => void eventStream(response).write(`${begin}data: {"ty`, () => response.destroy()),
  ],
  ['the stream ends inside a line', (response, begin) => void eventStream(response).end(`${begin}data: {"ty`)],
  ['the socket is closed before the answer', (response) => void response.destroy()],
];

test.each(truncations.flatMap(([what, act]) => wires.map((wire) => [what, wire, act] as const)))(
  'F-04: %s (%s): truncated, never done',
  async (_, wire, act) => {
    await withGateway(
      (response) => act(response, story(wire).begin),
      async (gateway) => {
        expect(await failureOf(run(providerAt(gateway, wire)))).toMatchObject({
          code: 'provider_truncated',
          retryable: true,
        });
      },
    );
  },
);

test.each(wires)(
  'F-05, F-06 on %s: an error event ends the attempt at once in the words of the provider, the socket left open',
  async (wire) => {
    const error =
      wire === 'chat'
        ? 'data: {"error":{"message":"Overloaded, try later","code":529}}\n\n'
        : 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded, try later"}}\n\n';
    await withGateway(open(story(wire).begin + error), async (gateway) => {
      const running = run(providerAt(gateway, wire));
      expect(await failureOf(running)).toEqual({
        code: 'provider_overloaded',
        message: 'Overloaded, try later',
        status: 529,
        retryable: true,
      });
      expect(essence(running.events).some((event) => event.kind === 'delta' && event.channel === 'text')).toBe(true);
    });
  },
);

const strangers: readonly [string, Respond, Partial<ProviderFailure>][] = [
  [
    'an HTML page',
    (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Welcome</html>'),
    { code: 'provider_malformed', message: 'The endpoint answered with an HTML page. Check baseUrl and wire.' },
  ],
  ['an HTML page called a stream', open('<!DOCTYPE html>\n<html>\n'), { code: 'provider_malformed' }],
  [
    'plain words called a stream',
    open('Internal Server Error\n'),
    {
      code: 'provider_malformed',
      message: 'The endpoint sent no event stream (check baseUrl) but: Internal Server Error',
    },
  ],
  [
    'a whole JSON answer',
    (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"content":[]}'),
    { code: 'provider_malformed' },
  ],
  [
    'an error with status 200',
    (response) =>
      void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('{"error":{"message":"no funds","code":"insufficient_quota"}}'),
    { code: 'provider_quota', message: 'no funds' },
  ],
  [
    'frames that hold no JSON',
    open('event: message_start\ndata: {"type": oops}\n\n'),
    { code: 'provider_malformed', message: 'The stream holds data that is not JSON.' },
  ],
  [
    'a limit with its time',
    (response) =>
      void response
        .writeHead(429, { 'retry-after': '7' })
        .end('{"error":{"type":"rate_limit_error","message":"slow"}}'),
    { code: 'provider_rate_limited', message: 'slow', status: 429, retryAfterMs: 7000, retryable: true },
  ],
  [
    'a page instead of an error',
    (response) => void response.writeHead(404, { 'content-type': 'text/html' }).end('<html>'),
    { code: 'provider_malformed', status: 404 },
  ],
  [
    'a page before a dead server',
    (response) => void response.writeHead(502, { 'content-type': 'text/html' }).end('<html>'),
    { code: 'provider_failed', status: 502, retryable: true },
  ],
  [
    'an endless error',
    (response) => void response.writeHead(400).write('x'.repeat(200_000)),
    { code: 'provider_rejected', status: 400 },
  ],
];

test.each(
  strangers.flatMap(([what, respond, expected]) => wires.map((wire) => [what, wire, respond, expected] as const)),
)('%s is told as what it is (%s)', async (_, wire, respond, expected) => {
  await withGateway(respond, async (gateway) => {
    expect(await failureOf(run(providerAt(gateway, wire)))).toMatchObject(expected);
    expect(gateway.received).toHaveLength(1);
  });
});

test.each(wires)('S-24 on %s: a redirect is not followed, so the key reaches no other host', async (wire) => {
  await using sink = await startGateway();
  await withGateway(
    (response) => void response.writeHead(307, { location: sink.url }).end(),
    async (gateway) => {
      expect(await failureOf(run(providerAt(gateway, wire)))).toMatchObject({
        code: 'provider_malformed',
        status: 307,
      });
      expect(sink.received).toEqual([]);
    },
  );
});

const echoes: readonly [string, Respond][] = [
  [
    'in an error',
    (response) => void response.writeHead(401).end(JSON.stringify({ error: { message: `Incorrect key ${key}` } })),
  ],
  ['in a page', (response) => void response.writeHead(500).end(`<html><title>${key}</title>`)],
  ['in plain words', (response) => void response.writeHead(400).end(`${'x'.repeat(480)}${key}`)],
  [
    'in an error inside the stream',
    open(`event: error\ndata: {"type":"error","error":{"type":"api_error","message":"key ${key}"}}\n\n`),
  ],
  ['in junk', open(`What is ${key}\n`)],
  ['in data that is not JSON', open(`event: x\ndata: {${key}\n\n`)],
];

test.each(echoes.flatMap(([where, respond]) => wires.map((wire) => [where, wire, respond] as const)))(
  'S-64: a key that comes back %s (%s) is in no message',
  async (_, wire, respond) => {
    await withGateway(respond, async (gateway) => {
      const running = run(providerAt(gateway, wire));
      const failure = await failureOf(running);
      expect(JSON.stringify(running.events)).not.toContain('sk-canary');
      expect(failure.message).not.toBe('');
    });
  },
);
