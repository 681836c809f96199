/** What the transport's tests share: recorded stories on each wire, providers at a test's gateway, and what came of an attempt. */
import { expect } from '@jest/globals';
import type { ProviderFailure } from '@zerd/core/model/answer';
import { anthropicDecoder } from '../../src/anthropic-messages/decode.ts';
import { createProvider } from '../../src/create-provider.ts';
import { chatDecoder } from '../../src/openai-chat/decode.ts';
import { responsesDecoder } from '../../src/openai-responses/decode.ts';
import type { Provider, Wire } from '../../src/provider.ts';
import { decodeAll, type Running, until } from './collect.ts';
import { eventStream, type Gateway, type Received, type Respond, startGateway } from './gateway.ts';
import { responsesChunks, responsesSse } from './responses-stream.ts';
import { anthropicChunks, anthropicSse, chatChunks, chatSse } from './streams.ts';

export const key = 'sk-canary-0123456789abcdef';
export const wires: readonly Wire[] = ['anthropic', 'chat', 'responses'];

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
  responses: {
    sse: responsesSse(responsesChunks),
    begin: responsesSse(responsesChunks.slice(0, 12)),
    events: decodeAll(responsesDecoder, responsesChunks),
  },
};

export function story(wire: Wire) {
  return recorded[wire];
}

export function providerAt(gateway: { readonly url: string }, wire: Wire, apiKey: string | undefined = key): Provider {
  const baseUrl = wire === 'anthropic' ? gateway.url : `${gateway.url}/v1`;
  return createProvider({ wire, baseUrl, ...(apiKey === '' ? {} : { apiKey }) });
}

export async function withGateway(respond: Respond, act: (gateway: Gateway) => Promise<void>): Promise<void> {
  await using gateway = await startGateway();
  gateway.respond(respond);
  await act(gateway);
}

/** Writes and leaves the socket open. */
export function open(text: string): Respond {
  return (response) => void eventStream(response).write(text);
}

export async function failureOf(running: Running): Promise<ProviderFailure> {
  const last = (await running.ended).at(-1);
  if (last?.kind !== 'failed') throw new Error(`not failed: ${JSON.stringify(last)}`);
  expect((await running.ended).filter((event) => event.kind === 'failed' || event.kind === 'finished')).toHaveLength(1);
  return last.failure;
}

/** The answer's rest has been read away: its connection is free for the next request. */
export async function answeredAndIdle(running: Running): Promise<void> {
  expect((await running.ended).at(-1)?.kind).toBe('finished');
  await until(() => running.clock.timers() === 0);
}

/** The one request that came. */
export function only(gateway: Gateway): Received {
  const [one, ...more] = gateway.received;
  if (one === undefined || more.length > 0) throw new Error(`${gateway.received.length} requests came`);
  return one;
}

export function waiting(running: Running, what: string): Promise<void> {
  return until(() => running.waits.at(-1)?.startsWith(what) === true);
}
