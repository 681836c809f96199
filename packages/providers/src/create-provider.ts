/** Puts a wire and an endpoint together. The pure halves are handed through; the network is opened on the first request. */
import { nameImages } from '@zerd/core/context/name-images';
import type { JsonObject } from '@zerd/protocol/common/json';
import { anthropicDecoder, diagnosingDecoder } from './anthropic-messages/decode.ts';
import { encode as encodeAnthropic } from './anthropic-messages/encode.ts';
import type { Decoder } from './decoder.ts';
import { textOf } from './json/fields.ts';
import { chatDecoder } from './openai-chat/decode.ts';
import { encode as encodeChat } from './openai-chat/encode.ts';
import { readingLeakedCalls } from './openai-chat/leaked-calls.ts';
import { chatTraits } from './openai-chat/traits.ts';
import { namingDecoder, responsesDecoder } from './openai-responses/decode.ts';
import { encode as encodeResponses } from './openai-responses/encode.ts';
import { responsesTraits } from './openai-responses/traits.ts';
import type { Endpoint, Provider } from './provider.ts';
import { segmentsOf } from './segments.ts';
import { streamAttempt } from './transport/attempt.ts';
import { anthropicStream, chatStream, type OpenStream, responsesStream } from './transport/clients.ts';
import { connectionsTo } from './transport/connections.ts';
import { networkSecrets } from './transport/network.ts';

/** Cheap. Idle connections stay for a few seconds, for any provider at the same address. The key stays in memory. */
export function createProvider(endpoint: Endpoint): Provider {
  switch (endpoint.wire) {
    case 'anthropic':
      return provider(
        endpoint,
        (prompt, settings) => encodeAnthropic(prompt, settings, endpoint.diagnosis === 'anthropic'),
        (body) => (body.diagnostics === undefined ? anthropicDecoder : diagnosingDecoder(body)),
        anthropicStream(endpoint),
      );
    case 'chat':
      return provider(
        endpoint,
        (prompt, settings) => encodeChat(prompt, settings, chatTraits(endpoint, settings.modelId)),
        (body) => chatDecoderFor(endpoint, body),
        chatStream(endpoint),
      );
    case 'responses':
      return provider(
        endpoint,
        (prompt, settings) => encodeResponses(prompt, settings, responsesTraits(endpoint, settings.modelId)),
        (body) => (responsesTraits(endpoint, textOf(body, 'model') ?? '').diagnoses ? namingDecoder : responsesDecoder),
        responsesStream(endpoint),
      );
  }
}

function chatDecoderFor(endpoint: Endpoint, body: JsonObject): typeof chatDecoder {
  const { leakedCalls } = chatTraits(endpoint, textOf(body, 'model') ?? '');
  return leakedCalls ? readingLeakedCalls(chatDecoder, body) : chatDecoder;
}

const blind = 'this model cannot see images';

function provider<S>(
  endpoint: Endpoint,
  encode: Provider['encode'],
  decoderFor: (body: JsonObject) => Decoder<S>,
  open: OpenStream,
): Provider {
  const { apiKey, token, headers = {}, baseUrl, network, wire } = endpoint;
  const secrets = [apiKey ?? '', ...Object.values(headers), ...networkSecrets(network)];
  const parts = { apiKey, token, open, connections: connectionsTo(baseUrl ?? wire, network), secrets, network };
  return {
    encode: (prompt, settings) => encode(settings.seesImages ? prompt : nameImages(prompt, blind), settings),
    segments: segmentsOf,
    stream: (body, options) => streamAttempt({ ...parts, decoder: decoderFor(body) }, body, options),
  };
}
