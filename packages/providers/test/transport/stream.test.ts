import { expect, test } from '@jest/globals';
import { anthropicDecoder } from '../../src/anthropic-messages/decode.ts';
import { createProvider } from '../../src/create-provider.ts';
import { chatDecoder } from '../../src/openai-chat/decode.ts';
import { decodeAll, essence, run } from '../support/collect.ts';
import { eventStream, startGateway } from '../support/gateway.ts';
import { anthropicChunks, anthropicSse, chatChunks, chatSse } from '../support/streams.ts';

test('x', async () => {
  await using gateway = await startGateway();
  gateway.respond((response) => eventStream(response).end(anthropicSse(anthropicChunks)));
  const r = run(createProvider({ wire: 'anthropic', baseUrl: gateway.url, apiKey: 'sk-canary-123456' }));
  expect(essence(await r.ended)).toEqual(essence(decodeAll(anthropicDecoder, anthropicChunks)));
  console.log(r.waits, gateway.received, JSON.stringify(r.events.at(-1), null, 1));
});
test('y', async () => {
  await using gateway = await startGateway();
  gateway.respond((response) => eventStream(response).end(chatSse(chatChunks)));
  const r = run(createProvider({ wire: 'chat', baseUrl: `${gateway.url}/v1`, apiKey: 'sk-canary-123456' }));
  expect(essence(await r.ended)).toEqual(essence(decodeAll(chatDecoder, chatChunks)));
  console.log(r.waits, gateway.received, JSON.stringify(r.events.at(-1), null, 1));
});
