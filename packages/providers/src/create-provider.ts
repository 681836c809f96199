/** Puts a wire and an endpoint together. The pure halves are handed through; the network is opened on the first request. */
import type { ModelEvent } from '@zerd/core/model/answer';
import { anthropicDecoder } from './anthropic-messages/decode.ts';
import { encode as encodeAnthropic } from './anthropic-messages/encode.ts';
import type { Decoder } from './decoder.ts';
import { chatDecoder } from './openai-chat/decode.ts';
import { encode as encodeChat } from './openai-chat/encode.ts';
import { chatTraits } from './openai-chat/traits.ts';
import type { Endpoint, Provider } from './provider.ts';
import { segmentsOf } from './segments.ts';
import { streamAttempt } from './transport/attempt.ts';
import { anthropicStream, chatStream, type OpenStream } from './transport/clients.ts';
import { openConnections } from './transport/connections.ts';

/** Cheap; holds idle connections for a few seconds and nothing else. The key stays in memory. */
export function createProvider(endpoint: Endpoint): Provider {
  switch (endpoint.wire) {
    case 'anthropic':
      return provider(endpoint, encodeAnthropic, anthropicDecoder, anthropicStream(endpoint));
    case 'chat':
      return provider(
        endpoint,
        (prompt, settings) => encodeChat(prompt, settings, chatTraits(endpoint, settings.modelId)),
        chatDecoder,
        chatStream(endpoint),
      );
    case 'responses':
      return unbuiltProvider();
  }
}

function provider<S>(endpoint: Endpoint, encode: Provider['encode'], decoder: Decoder<S>, open: OpenStream): Provider {
  const secrets = [endpoint.apiKey ?? '', ...Object.values(endpoint.headers ?? {})];
  const parts = { decoder, open, connections: openConnections(), secrets };
  return { encode, segments: segmentsOf, stream: (body, options) => streamAttempt(parts, body, options) };
}

/** The configuration may name the wire already; the answer says how things stand. */
function unbuiltProvider(): Provider {
  async function* stream(): AsyncGenerator<ModelEvent> {
    const message = "The responses wire is not built yet. Set this provider's wire to chat in the configuration.";
    yield { kind: 'failed', failure: { code: 'provider_rejected', message, retryable: false } };
  }
  return { encode: (_, settings) => ({ model: settings.modelId }), segments: segmentsOf, stream };
}
