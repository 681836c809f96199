/**
 * Turns a prompt into the body of a Messages request. Invariants: same prompt, same bytes; a message's bytes depend on
 * that message alone, cache marks aside (I3); no empty text, no mark on a reasoning block, four marks at most.
 */
import type { ModelSettings, Prompt, PromptMessage, UserBlock } from '@zerd/core/model/prompt';
import { wellFormed } from '@zerd/core/text/utf8';
import type { AssistantBlock } from '@zerd/protocol/common/event';
import type { Image } from '@zerd/protocol/common/image';
import type { JsonObject, JsonValue } from '@zerd/protocol/common/json';
import { imageRef } from '../images.ts';
import { isObject, parseJson, wellFormedJson } from '../json/fields.ts';
import { toolNameOnWire } from '../wire-text.ts';

/** A block with its place in the prompt's message: what is not sent leaves a hole in the places. */
interface Placed {
  readonly place: number;
  readonly json: JsonObject;
  readonly markable: boolean;
}

const mark = { cache_control: { type: 'ephemeral' } };

/**
 * Adaptive is what these models do unasked. Sent with every request, not only behind an edit: a change of it would lose
 * the cached messages (Anthropic's page on preserved thinking and pi-ai 1.6.0, 2026-11).
 */
const droppingReasoning: JsonObject = {
  type: 'adaptive',
  block_binding: { prefix_mismatch_behavior: 'drop_block' },
};

/** `diagnosis`: the provider is asked why it read less from its cache than it did for the answer before. */
export function encode(prompt: Prompt, settings: ModelSettings, diagnosis = false): JsonObject {
  const system = prompt.system.trim() === '' ? undefined : wellFormed(prompt.system);
  const tools = encodeTools(prompt, system === undefined);
  return {
    model: settings.modelId,
    max_tokens: settings.maxOutput,
    stream: true,
    ...(settings.bindsReasoning ? { thinking: droppingReasoning } : {}),
    // Null on the first request: from then on the provider remembers what to compare with (2026-11).
    ...(diagnosis ? { diagnostics: { previous_message_id: prompt.previousResponseId ?? null } } : {}),
    ...(tools.length > 0 ? { tools } : {}),
    ...(system === undefined ? {} : { system: [{ type: 'text', text: system, ...mark }] }),
    messages: encodeMessages(prompt),
  };
}

/** The end of the fixed part carries a mark: the system text, or the last tool where there is none. */
function encodeTools(prompt: Prompt, markLast: boolean): readonly JsonObject[] {
  return prompt.tools.map((tool, i) => ({
    name: tool.name,
    description: wellFormed(tool.description),
    input_schema: wellFormedJson(tool.inputSchema),
    ...(markLast && i === prompt.tools.length - 1 ? mark : {}),
  }));
}

function encodeMessages(prompt: Prompt): readonly JsonObject[] {
  const marked = new Map<number, number[]>();
  for (const { message, block } of prompt.marks.slice(-3)) marked.set(message, [...(marked.get(message) ?? []), block]);
  return prompt.messages.flatMap((message, i): readonly JsonObject[] => {
    const blocks = placeBlocks(message);
    if (blocks.length === 0) return [];
    return [{ role: message.role, content: withMarks(blocks, marked.get(i) ?? []) }];
  });
}

/** Results come first in their message: the API takes them nowhere else. */
function placeBlocks(message: PromptMessage): readonly Placed[] {
  if (message.role === 'assistant') return message.blocks.flatMap((block, place) => encodeAnswer(block, place));
  const placed = message.blocks.flatMap((block, place) => encodeUser(block, place));
  const results = placed.filter(({ json }) => json.type === 'tool_result');
  return [...results, ...placed.filter(({ json }) => json.type !== 'tool_result')];
}

function withMarks(blocks: readonly Placed[], places: readonly number[]): readonly JsonObject[] {
  const marked = new Set(places.map((place) => blocks.findLast((block) => block.markable && block.place <= place)));
  return blocks.map((block) => (marked.has(block) ? { ...block.json, ...mark } : block.json));
}

function encodeUser(block: UserBlock, place: number): readonly Placed[] {
  if (block.kind === 'image') return [{ place, json: encodeImage(block.image), markable: true }];
  const text = wellFormed(block.text);
  if (block.kind === 'text') return encodeText(text, place);
  const json = {
    type: 'tool_result',
    tool_use_id: block.callId,
    ...encodeContent(text, block.images),
    ...(block.isError ? { is_error: true } : {}),
  };
  return [{ place, json, markable: true }];
}

/** One text is a string, which is what it was before there were images. */
function encodeContent(text: string, images: readonly Image[] = []): JsonObject {
  if (images.length === 0) return text === '' ? {} : { content: text };
  const said = text.trim() === '' ? [] : [{ type: 'text', text }];
  return { content: [...said, ...images.map(encodeImage)] };
}

function encodeImage({ type, archiveId }: Image): JsonObject {
  return { type: 'image', source: { type: 'base64', media_type: type, data: imageRef(archiveId) } };
}

function encodeAnswer(block: AssistantBlock, place: number): readonly Placed[] {
  if (block.kind === 'text') return encodeText(wellFormed(block.text), place);
  if (block.kind === 'opaque') return encodeOpaque(block, place);
  const input = parseJson(block.inputJson);
  const json = {
    type: 'tool_use',
    id: block.callId,
    name: toolNameOnWire(block.name),
    input: isObject(input) ? wellFormedJson(input) : {},
  };
  return [{ place, json, markable: true }];
}

/** The API refuses text without a visible character. */
function encodeText(text: string, place: number): readonly Placed[] {
  return text.trim() === '' ? [] : [{ place, json: { type: 'text', text }, markable: true }];
}

/** Reasoning goes back as it came, in place; another wire's means nothing here. */
function encodeOpaque(block: Extract<AssistantBlock, { kind: 'opaque' }>, place: number): readonly Placed[] {
  const json: JsonValue | undefined = block.wire === 'anthropic' ? parseJson(block.json) : undefined;
  if (!isObject(json)) return [];
  const markable = json.type !== 'thinking' && json.type !== 'redacted_thinking';
  return [{ place, json: wellFormedJson(json) as JsonObject, markable }];
}
