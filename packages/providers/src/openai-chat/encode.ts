/**
 * Turns a prompt into the body of a Chat Completions request. Invariants: same prompt, same bytes; a message's bytes
 * depend on that message alone (I3); every call is followed by its result; arguments go back exactly as received.
 */
import type { ModelSettings, Prompt, PromptMessage, UserBlock } from '@zerd/core/model/prompt';
import { wellFormed } from '@zerd/core/text/utf8';
import type { AssistantBlock } from '@zerd/protocol/common/event';
import type { Image } from '@zerd/protocol/common/image';
import type { JsonObject, JsonValue } from '@zerd/protocol/common/json';
import { imageUrl, shownFor } from '../images.ts';
import { wellFormedJson } from '../json/fields.ts';
import { toolNameOnWire } from '../wire-text.ts';
import { replayReasoning } from './reasoning.ts';
import type { ChatTraits } from './traits.ts';

export function encode(prompt: Prompt, settings: ModelSettings, traits: ChatTraits): JsonObject {
  return {
    model: settings.modelId,
    [traits.maxTokensField]: settings.maxOutput,
    stream: true,
    stream_options: { include_usage: true },
    ...(traits.sendsCacheKey ? { prompt_cache_key: prompt.cacheKey } : {}),
    ...traits.keepsReasoning,
    ...(prompt.tools.length > 0 ? { tools: encodeTools(prompt) } : {}),
    messages: [...encodeSystem(prompt.system), ...prompt.messages.flatMap((message) => encodeMessage(message, traits))],
  };
}

function encodeTools(prompt: Prompt): readonly JsonObject[] {
  return prompt.tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description: wellFormed(description), parameters: wellFormedJson(inputSchema) },
  }));
}

function encodeSystem(system: string): readonly JsonObject[] {
  return system.trim() === '' ? [] : [{ role: 'system', content: wellFormed(system) }];
}

function encodeMessage(message: PromptMessage, traits: ChatTraits): readonly JsonObject[] {
  return message.role === 'assistant' ? encodeAnswer(message.blocks, traits) : encodeUser(message.blocks);
}

/**
 * Each block is a message of its own, results first: a text that joins later changes no byte before it (I3). A result is
 * text alone, and nothing may stand between results: their images come behind all of them.
 */
function encodeUser(blocks: readonly UserBlock[]): readonly JsonObject[] {
  const results = blocks.filter((block) => block.kind === 'toolResult');
  return [
    ...results.map(({ callId, text }) => ({ role: 'tool', tool_call_id: callId, content: wellFormed(text) })),
    ...results.flatMap(({ images = [] }) => images.map((image) => withImage(image, shownFor(image)))),
    ...blocks.flatMap(encodeSaid),
  ];
}

function encodeSaid(block: UserBlock): readonly JsonObject[] {
  if (block.kind === 'image') return [withImage(block.image)];
  return block.kind === 'text' && block.text.trim() !== '' ? [{ role: 'user', content: wellFormed(block.text) }] : [];
}

function withImage(image: Image, text?: string): JsonObject {
  const said = text === undefined ? [] : [{ type: 'text', text }];
  return { role: 'user', content: [...said, { type: 'image_url', image_url: { url: imageUrl(image) } }] };
}

function encodeAnswer(blocks: readonly AssistantBlock[], traits: ChatTraits): readonly JsonObject[] {
  const text = joinTexts(blocks);
  const { message: reasoning, extras } = replayReasoning(blocks);
  const stranger = traits.signedCalls ? unsigned : undefined;
  const calls = blocks
    .flatMap((block) => (block.kind === 'toolCall' ? [block] : []))
    .map((call, i) => encodeCall(call, extras.get(i) ?? (i === 0 && extras.size === 0 ? stranger : undefined)));
  if (text === '' && calls.length === 0 && Object.keys(reasoning).length === 0) return [];
  return [
    {
      role: 'assistant',
      content: text === '' && calls.length > 0 ? null : text,
      ...(traits.reasoningAlways ? { reasoning_content: '' } : {}),
      ...reasoning,
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    },
  ];
}

/** What Gemini takes in place of a signature on the first call of an answer that it did not write. */
const unsigned: JsonObject = { google: { thought_signature: 'skip_thought_signature_validator' } };

function encodeCall(call: Extract<AssistantBlock, { kind: 'toolCall' }>, extra: JsonValue | undefined): JsonObject {
  return {
    id: call.callId,
    type: 'function',
    function: { name: toolNameOnWire(call.name), arguments: wellFormed(call.inputJson) },
    ...(extra === undefined ? {} : { extra_content: extra }),
  };
}

function joinTexts(blocks: readonly AssistantBlock[]): string {
  const texts = blocks.flatMap((block) =>
    block.kind === 'text' && block.text.trim() !== '' ? [wellFormed(block.text)] : [],
  );
  return texts.join('\n\n');
}
