import { afterEach, expect, test } from '@jest/globals';
import type { ModelEvent } from '@zerd/core/model/answer';
import { defaultDeadlines } from '../../src/provider.ts';
import {
  answeredAndIdle,
  key,
  only,
  open,
  providerAt,
  story,
  waiting,
  wires,
  withGateway,
} from '../support/attempts.ts';
import { essence, type Running, run, until } from '../support/collect.ts';
import { eventStream, type Respond } from '../support/gateway.ts';

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
        const { path, body, headers } = only(gateway);
        const auth = { 'x-api-key': headers['x-api-key'], authorization: headers.authorization };
        expect({ path, body, ...auth }).toEqual(
          wire === 'anthropic'
            ? { path: '/v1/messages', body: '{"model":"m"}', 'x-api-key': key }
            : {
                path: wire === 'chat' ? '/v1/chat/completions' : '/v1/responses',
                body: '{"model":"m"}',
                authorization: `Bearer ${key}`,
              },
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
    ANTHROPIC_CUSTOM_HEADERS: 'x-evil: from-env',
    OPENAI_CUSTOM_HEADERS: 'x-evil: from-env',
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

test.each(wires)(
  '%s: the next provider at an address takes the connection of the one before, with its own key',
  async (wire) => {
    await withGateway(
      (response) => eventStream(response).end(story(wire).sse),
      async (gateway) => {
        await answeredAndIdle(run(providerAt(gateway, wire)));
        await answeredAndIdle(run(providerAt(gateway, wire, 'sk-another')));
        const sent = gateway.received.map(({ connection, headers }) => [
          connection,
          headers['x-api-key'] ?? headers.authorization?.replace('Bearer ', ''),
        ]);
        expect(sent).toEqual([
          [1, key],
          [1, 'sk-another'],
        ]);
      },
    );
  },
);
