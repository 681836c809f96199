import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { createProvider } from '../../src/create-provider.ts';
import { defaultDeadlines } from '../../src/provider.ts';
import {
  answeredAndIdle,
  failureOf,
  key,
  open,
  providerAt,
  story,
  waiting,
  wires,
  withGateway,
} from '../support/attempts.ts';
import { essence, type Running, run, until } from '../support/collect.ts';
import { eventStream, type Respond } from '../support/gateway.ts';
import { responsesChunks, responsesSse } from '../support/responses-stream.ts';
import { anthropicChunks, anthropicSse, chatChunks, chatSse } from '../support/streams.ts';

test.each(wires)(
  'R-05, F-01, F-03 on %s: an answer that stalls in the middle of a frame ends after the time between events, what had come stays, the socket is closed',
  async (wire) => {
    let closed = false;
    const respond: Respond = (response) => {
      response.on('close', () => {
        closed = true;
      });
      eventStream(response).write(`${story(wire).begin}data: {"ty`);
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
  'R-05, F-02 on %s: a silent server is left after the first-event time, and the next attempt comes on a new connection',
  async (wire) => {
    const answering: Respond = (response) => eventStream(response).end(story(wire).sse);
    await withGateway(answering, async (gateway) => {
      const provider = providerAt(gateway, wire);
      await Promise.all([answeredAndIdle(run(provider)), answeredAndIdle(run(provider))]);
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
      // The silent attempt took one of the two idle connections; the other one is not trusted either.
      const connections = gateway.received.map(({ connection }) => connection);
      expect(connections).toEqual([1, 2, expect.any(Number), 3]);
      expect(connections[2]).toBeLessThan(3);
    });
  },
);

test('R-05: a connection that never comes about ends after the connect time', async () => {
  const sockets: Socket[] = [];
  // Speaks no TLS, so that the handshake never ends.
  const server = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const running = run(
    createProvider({
      wire: 'chat',
      baseUrl: `https://${place}/v1`,
      apiKey: key,
    }),
  );
  await until(() => sockets.length > 0);
  running.clock.advance(10_000);
  expect(await failureOf(running)).toEqual({
    code: 'provider_unreachable',
    message: `No connection to ${place} within 10 s.`,
    retryable: true,
  });
  expect(running.waits).toEqual(['connection until 10000']);
  for (const socket of sockets) socket.destroy();
  server.close();
  await once(server, 'close');
});

/** A comment, a ping, and a frame that says nothing new on any wire. */
const signsOfLife = [
  ': still here\n\n',
  'event: ping\ndata: {"type": "ping"}\n\n',
  'event: keepalive\ndata: {"choices":[{"index":0,"delta":{"content":""}}]}\n\n',
];

test.each(wires)(
  'R-05, F-10 on %s: pings and comments are signs of life and end no wait; slow progress is let be, up to the total',
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
        socket?.write(signsOfLife[n % 3] ?? '');
        await until(() => alive(pinged) > before);
        pinged.clock.advance(10_000);
      }
      expect((await failureOf(pinged)).message).toBe('The answer stalled: nothing new for 90 s.');

      const slow = run(providerAt(gateway, wire));
      await until(() => essence(slow.events).length === 2);
      const more = {
        anthropic: anthropicSse(anthropicChunks.slice(10, 11)),
        chat: chatSse(chatChunks.slice(3, 4), false),
        responses: responsesSse(responsesChunks.slice(10, 11)),
      }[wire];
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

test.each([
  ['named', responsesSse(responsesChunks)],
  ['nameless', responsesSse(responsesChunks).replace(/^event: .*\n/gm, '')],
  [
    'failed',
    responsesSse([{ type: 'response.failed', response: { error: { code: 'server_error', message: 'Boom.' } } }]),
  ],
])('F-05: after the last frame of a responses answer (%s) an open socket is given up', async (_, sse) => {
  let closed = false;
  const respond: Respond = (response) => {
    response.on('close', () => {
      closed = true;
    });
    eventStream(response).write(sse);
  };
  await withGateway(respond, async (gateway) => {
    const running = run(providerAt(gateway, 'responses'));
    const last = (await running.ended).at(-1);
    if (last?.kind === 'finished') await until(() => running.clock.timers() === 1);
    running.clock.advance(1000);
    await until(() => closed);
    expect(running.clock.timers()).toBe(0);
  });
});

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
