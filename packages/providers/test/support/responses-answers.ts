/** What the tests of the responses wire share: chunks that end an answer, what comes of them, and what goes back. */
import type { Answer, ModelEvent, ProviderFailure } from '@zerd/core/model/answer';
import type { Prompt } from '@zerd/core/model/prompt';
import type { AssistantBlock } from '@zerd/protocol/common/event';
import type { JsonObject, JsonValue } from '@zerd/protocol/common/json';
import { responsesDecoder } from '../../src/openai-responses/decode.ts';
import { encode } from '../../src/openai-responses/encode.ts';
import { responsesTraits } from '../../src/openai-responses/traits.ts';
import { decodeAll, essence } from './collect.ts';
import { fullPrompt, id, settings } from './prompts.ts';
import { reasoningItem } from './responses-stream.ts';

export const newest = responsesTraits({ wire: 'responses' }, 'gpt-6.2-sol');

export function decoded(chunks: readonly JsonValue[]): readonly ModelEvent[] {
  return essence(decodeAll(responsesDecoder, chunks));
}

export function answerOf(chunks: readonly JsonValue[]): Answer {
  const last = decoded(chunks).at(-1);
  if (last?.kind !== 'finished') throw new Error(`not finished: ${JSON.stringify(last)}`);
  return last.answer;
}

export function failureOf(chunks: readonly JsonValue[]): ProviderFailure {
  const last = decoded(chunks).at(-1);
  if (last?.kind !== 'failed') throw new Error(`not failed: ${JSON.stringify(last)}`);
  return last.failure;
}

export function done(...items: readonly JsonObject[]): readonly JsonValue[] {
  return items.map((item, i) => ({ type: 'response.output_item.done', output_index: i, item }));
}

export function completed(more: JsonObject = {}): JsonValue {
  return { type: 'response.completed', response: { status: 'completed', output: [], ...more } };
}

export function incomplete(reason: string, more: JsonObject = {}): JsonValue {
  return {
    type: 'response.incomplete',
    response: { status: 'incomplete', incomplete_details: { reason }, output: [], ...more },
  };
}

export function opaque(item: JsonObject): AssistantBlock {
  return { kind: 'opaque', wire: 'responses', json: JSON.stringify(item) };
}

export function call(callId: string, name: string, inputJson: string): AssistantBlock {
  return { kind: 'toolCall', callId: id(callId), name, inputJson };
}

function prompt(blocks: readonly AssistantBlock[]): Prompt {
  return { ...fullPrompt, system: '', messages: [{ role: 'assistant', blocks }] };
}

export function sentBack(blocks: readonly AssistantBlock[]): JsonValue | undefined {
  return encode(prompt(blocks), settings, newest).input;
}

export const headOfMessage = {
  id: 'msg_1',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  phase: 'commentary',
};
export const headOfCall = { id: 'fc_1', type: 'function_call', status: 'completed' };
const said: AssistantBlock = { kind: 'text', text: 'Grüße 世界 😀' };
export const answered: readonly AssistantBlock[] = [
  opaque(reasoningItem),
  opaque(headOfMessage),
  said,
  opaque(headOfCall),
  call('call_a', 'read', '{"path": "a.ts"}'),
];
