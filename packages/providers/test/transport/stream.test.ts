import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import type { ModelEvent, ProviderFailure } from '@zerd/core/model/answer';
import { anthropicDecoder } from '../../src/anthropic-messages/decode.ts';
import { createProvider } from '../../src/create-provider.ts';
import { chatDecoder } from '../../src/openai-chat/decode.ts';
import { defaultDeadlines, type Provider, type Wire } from '../../src/provider.ts';
import { decodeAll, essence, type Running, run, until } from '../support/collect.ts';
import { eventStream, type Gateway, type Respond, startGateway } from '../support/gateway.ts';
import { anthropicChunks, anthropicSse, chatChunks, chatSse } from '../support/streams.ts';

const key = 'sk-canary-0123456789abcdef';
const wires: readonly Wire[] = ['anthropic', 'chat'];

const recorded = {
  anthropic: {
    sse: anthropicSse(anthropicChunks),
    begin: anthropicSse(anthropicChunks.slice(0, 12)),
    events: decodeAll(anthropicDecoder, anthropicChunks),
  },
  chat: {
    sse: chatSse(chatChunks),
    begin: chatSse(chatChunks.slice(0, 5), false),
    events: decodeAll(chatDecoder, chatChunks),
  },
  responses: undefined,
};

function story(wire: Wire) {
  const found = recorded[wire];
  if (found === undefined) throw new Error('no recorded stream');
  return found;
}

function providerAt(gateway: { readonly url: string }, wire: Wire, apiKey: string | undefined = key): Provider {
  const baseUrl = wire === 'chat' ? `${gateway.url}/v1` : gateway.url;
  return createProvider({ wire, baseUrl, ...(apiKey === '' ? {} : { apiKey }) });
}

async function withGateway(respond: Respond, act: (gateway: Gateway) => Promise<void>): Promise<void> {
  await using gateway = await startGateway();
  gateway.respond(respond);
  await act(gateway);
}

/** Writes and leaves the socket open. */
function open(text: string): Respond {
  return (response) => void eventStream(response).write(text);
}

async function failureOf(running: Running): Promise<ProviderFailure> {
  const last = (await running.ended).at(-1);
  if (last?.kind !== 'failed') throw new Error(`not failed: ${JSON.stringify(last)}`);
  expect((await running.ended).filter((event) => event.kind === 'failed' || event.kind === 'finished')).toHaveLength(1);
  return last.failure;
}

/** The answer's rest has been read away: its connection is free for the next request. */
async function answeredAndIdle(running: Running): Promise<void> {
  expect((await running.ended).at(-1)?.kind).toBe('finished');
  await until(() => running.clock.timers() === 0);
}

function waiting(running: Running, what: string): Promise<void> {
  return until(() => running.waits.at(-1)?.startsWith(what) === true);
}

const kept = { ...process.env };
afterEach(() => {
  for (const name of Object.keys(process.env)) if (!(name in kept)) delete process.env[name];
});

test.each(wires)(
  '%s: the body goes out as JSON.stringify gives it, with the key, and the recorded answer comes back',
  async (wire) => {
    await withGateway(
      (response) => eventStream(response).end(story(wire).sse),
      async (gateway) => {
        const running = run(providerAt(gateway, wire));
        expect(essence(await running.ended)).toEqual(essence(story(wire).events));
        const { path, body, headers } = gateway.received[0] ?? expect.fail('nothing received');
        const auth = { 'x-api-key': headers['x-api-key'], authorization: headers.authorization };
        expect({ path, body, ...auth }).toEqual(
          wire === 'chat'
            ? { path: '/v1/chat/completions', body: '{"model":"m"}', authorization: `Bearer ${key}` }
            : { path: '/v1/messages', body: '{"model":"m"}', 'x-api-key': key },
        );
        await until(() => running.clock.timers() === 0);
      },
    );
  },
);

test.each(wires)('S-23, S-24 on %s: no variable changes where a request goes or what it carries', async (wire) => {
  Object.assign(process.env, {
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:1',
    ANTHROPIC_AUTH_TOKEN: 'sk-from-env',
    ANTHROPIC_CUSTOM_HEADERS_NOT: 'x',
    OPENAI_BASE_URL: 'http://127.0.0.1:1',
    OPENAI_ORG_ID: 'org-from-env',
    OPENAI_PROJECT_ID: 'proj-from-env',
    OPENAI_ADMIN_KEY: 'sk-from-env',
    HTTP_PROXY: 'http://127.0.0.1:1',
  });
  await withGateway(
    (response) => eventStream(response).end(story(wire).sse),
    async (gateway) => {
      for (const apiKey of [key, '']) {
        expect((await run(providerAt(gateway, wire, apiKey)).ended).at(-1)?.kind).toBe('finished');
        expect(JSON.stringify(gateway.received.at(-1)?.headers)).not.toContain('from-env');
      }
      const keyless = gateway.received.at(-1)?.headers;
      expect([keyless?.authorization, keyless?.['x-api-key']]).toEqual([undefined, undefined]);
    },
  );
});

test.each(wires)(
  'F-01, F-03 on %s: an answer that stalls ends after the time between events, what had come stays, the socket is closed',
  async (wire) => {
    let closed = false;
    const respond: Respond = (response) => {
      response.on('close', () => {
        closed = true;
      });
      eventStream(response).write(story(wire).begin);
    };
    await withGateway(respond, async (gateway) => {
      const running = run(providerAt(gateway, wire));
      await until(() => running.events.some((event) => event.kind === 'delta' && event.channel === 'text'));
      running.clock.advance(89_999);
      expect(running.events.some((event) => event.kind === 'failed')).toBe(false);
      running.clock.advance(1);
      expect(await failureOf(running)).toEqual({
        code: 'provider_timeout',
        message: 'The answer stalled: nothing new for 90 s.',
        retryable: true,
      });
      expect(running.waits.slice(0, 3)).toEqual([
        'connection until 10000',
        'first event until 60000',
        'next event until 90000',
      ]);
      expect(running.clock.timers()).toBe(0);
      await until(() => closed);
    });
  },
);

test.each(wires)(
  'F-02 on %s: a silent server is left after the first-event time, and the next attempt comes on a new connection',
  async (wire) => {
    const answering: Respond = (response) => eventStream(response).end(story(wire).sse);
    await withGateway(answering, async (gateway) => {
      const provider = providerAt(gateway, wire);
      await answeredAndIdle(run(provider));
      await answeredAndIdle(run(provider));
      gateway.respond(() => {});
      const silent = run(provider);
      await waiting(silent, 'first event');
      silent.clock.advance(defaultDeadlines.firstEventMs);
      expect(await failureOf(silent)).toEqual({
        code: 'provider_timeout',
        message: 'Connected, but no answer began within 60 s.',
        retryable: true,
      });
      gateway.respond(answering);
      expect((await run(provider).ended).at(-1)?.kind).toBe('finished');
      expect(gateway.received.map(({ connection }) => connection)).toEqual([1, 1, 1, 2]);
    });
  },
);

test('a connection that never comes about ends after the connect time', async () => {
  const sockets: Socket[] = [];
  // Speaks no TLS, so that the handshake never ends.
  const server = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const running = run(
    createProvider({
      wire: 'chat',
      baseUrl: `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
      apiKey: key,
    }),
  );
  await until(() => sockets.length > 0);
  running.clock.advance(10_000);
  expect(await failureOf(running)).toEqual({
    code: 'provider_unreachable',
    message: 'No connection within 10 s.',
    retryable: true,
  });
  expect(running.waits).toEqual(['connection until 10000']);
  for (const socket of sockets) socket.destroy();
  server.close();
  await once(server, 'close');
});

test('an endpoint where nobody listens is unreachable', async () => {
  const gateway = await startGateway();
  const { url } = gateway;
  await gateway[Symbol.asyncDispose]();
  expect(await failureOf(run(providerAt({ url }, 'chat')))).toEqual({
    code: 'provider_unreachable',
    message: 'No connection to the provider (ECONNREFUSED).',
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
        const failure = await failureOf(run(providerAt(gateway, wire)));
        // The openai SDK parses what the end leaves over.
        expect([
          'provider_truncated',
          ...(wire === 'chat' && _.includes('ends inside') ? ['provider_malformed'] : []),
        ]).toContain(failure.code);
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

test.each(wires)(
  'F-10 on %s: pings and comments are signs of life and end no wait; slow progress is let be, up to the total',
  async (wire) => {
    let socket: ServerResponse | undefined;
    const respond: Respond = (response) => {
      socket = eventStream(response);
      socket.write(story(wire).begin);
    };
    await withGateway(respond, async (gateway) => {
      const alive = (of: Running) => of.events.filter((event) => event.kind === 'alive').length;
      const pinged = run(providerAt(gateway, wire));
      await until(() => essence(pinged.events).length === 2);
      for (let n = 0; n < 9; n += 1) {
        const before = alive(pinged);
        socket?.write(n % 2 === 0 ? ': still here\n\n' : 'event: ping\ndata: {"type": "ping"}\n\n');
        await until(() => alive(pinged) > before);
        pinged.clock.advance(10_000);
      }
      expect((await failureOf(pinged)).message).toBe('The answer stalled: nothing new for 90 s.');

      const slow = run(providerAt(gateway, wire));
      await until(() => essence(slow.events).length === 2);
      const more =
        wire === 'chat' ? chatSse([chatChunks[3] ?? null], false) : anthropicSse([anthropicChunks[10] ?? null]);
      for (let minute = 1; minute < 10; minute += 1) {
        const { length } = slow.events;
        slow.clock.advance(60_000);
        socket?.write(more);
        await until(() => slow.events.length > length);
      }
      expect(slow.waits.at(-1)).toBe('next event until 600000');
      slow.clock.advance(60_000);
      expect(await failureOf(slow)).toEqual({
        code: 'provider_timeout',
        message: 'The request took longer than 600 s in all.',
        retryable: false,
      });
    });
  },
);

test.each(wires)(
  'on %s an answer is done with its last frame, also when the server neither closes nor says more',
  async (wire) => {
    await withGateway(open(story(wire).sse), async (gateway) => {
      const running = run(providerAt(gateway, wire));
      expect(essence(await running.ended)).toEqual(essence(story(wire).events));
    });
  },
);

test('a chat answer whose end never comes is done when its finish_reason came, at the deadline', async () => {
  await withGateway(open(chatSse(chatChunks.slice(0, -1), false)), async (gateway) => {
    const running = run(providerAt(gateway, 'chat'));
    await until(() => essence(running.events).length === 3);
    await until(() => running.waits.length >= 12);
    running.clock.advance(90_000);
    expect((await running.ended).at(-1)).toMatchObject({
      kind: 'finished',
      answer: { stopReason: 'toolUse', usage: { reported: false } },
    });
  });
});

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

const moments: readonly [string, (running: Running) => Promise<void>][] = [
  ['before the connection', async () => {}],
  ['before the first event', (running) => waiting(running, 'first event')],
  ['in the middle', (running) => until(() => running.events.length > 3)],
];

test.each(moments.flatMap(([when, moment]) => wires.map((wire) => [when, wire, moment] as const)))(
  'an abort %s (%s) ends the stream at once, without a terminal event, and closes the socket',
  async (when, wire, moment) => {
    let sockets = 0;
    const respond: Respond = (response) => {
      sockets += 1;
      response.on('close', () => {
        sockets -= 1;
      });
      if (when === 'in the middle') eventStream(response).write(story(wire).begin);
    };
    await withGateway(respond, async (gateway) => {
      const running = run(providerAt(gateway, wire));
      await moment(running);
      running.abort.abort('interrupted');
      const events: readonly ModelEvent[] = await running.ended;
      expect(events.filter((event) => event.kind === 'failed' || event.kind === 'finished')).toEqual([]);
      expect(running.clock.timers()).toBe(0);
      await until(() => sockets === 0);
    });
  },
);

test('an attempt that is aborted before it begins sends nothing', async () => {
  await withGateway(open(''), async (gateway) => {
    const options = {
      signal: AbortSignal.abort(),
      deadlines: defaultDeadlines,
      clock: run(providerAt(gateway, 'chat')).clock,
    };
    const before = gateway.received.length;
    for await (const event of providerAt(gateway, 'chat').stream({ model: 'm' }, options))
      expect(event).toBe('nothing');
    expect(gateway.received.length).toBe(before);
  });
});

test.each(wires)('a reader that leaves (%s) closes the socket', async (wire) => {
  let closed = false;
  const respond: Respond = (response) => {
    response.on('close', () => {
      closed = true;
    });
    eventStream(response).write(story(wire).begin);
  };
  await withGateway(respond, async (gateway) => {
    const idle = run(providerAt(gateway, wire));
    const stream = providerAt(gateway, wire).stream(
      { model: 'm' },
      { signal: new AbortController().signal, deadlines: defaultDeadlines, clock: idle.clock },
    );
    for await (const event of stream) if (event.kind === 'delta') break;
    idle.abort.abort();
    await until(() => closed);
  });
});
