/**
 * An answer's output items as blocks of the house, and back. Texts and calls become neutral blocks; what the API hung on
 * their item beside that (`id`, `phase`, `status`) stands before them as an opaque head and is dropped with the model's
 * reasoning when the model changes; every other item is one opaque block. Invariants: an item goes back as it came; no
 * reasoning goes back without the item that followed it, which the API would refuse.
 */
import { wellFormed } from '@zerd/core/text/utf8';
import type { AssistantBlock } from '@zerd/protocol/common/event';
import type { JsonObject, JsonValue } from '@zerd/protocol/common/json';
import { isObject, listOf, parseJson, textOf, wellFormedJson } from '../json/fields.ts';
import { toolCallBlock } from '../tool-call.ts';
import { toolNameOnWire } from '../wire-text.ts';

/** An output item as far as it has come. */
export interface CollectedItem {
  /** As announced, or whole when `done`. */
  readonly item: JsonObject;
  readonly done: boolean;
  /** What its deltas brought. */
  readonly text: string;
  readonly json: string;
}

/** `limited`: the answer hit a limit, so that its last item may be cut. */
export function blocksOf(items: readonly CollectedItem[], limited: boolean): readonly AssistantBlock[] {
  const blocks = items.flatMap((one, i) => itemBlocks(one, i, limited && i === items.length - 1));
  const last = blocks.findLastIndex((block) => !isReasoning(block));
  return blocks.slice(0, last + 1);
}

function itemBlocks(one: CollectedItem, position: number, cut: boolean): readonly AssistantBlock[] {
  switch (textOf(one.item, 'type')) {
    case 'message': {
      const text = one.done ? messageText(one.item) || one.text : one.text;
      return text === '' ? [] : [...headBlocks(one, messageBody), { kind: 'text', text }];
    }
    case 'function_call':
      return callBlocks(one, position, cut);
    case 'reasoning':
      return one.done && canGoBack(one.item) ? [opaque(one.item)] : [];
    default:
      return one.done ? [opaque(one.item)] : [];
  }
}

function callBlocks(one: CollectedItem, position: number, cut: boolean): readonly AssistantBlock[] {
  const { item, done, json } = one;
  const call = {
    id: textOf(item, 'call_id') ?? '',
    name: textOf(item, 'name') ?? '',
    json: textOf(item, 'arguments') || json,
    cut: cut || !done || textOf(item, 'status') === 'incomplete',
  };
  const block = toolCallBlock(call, position);
  return block.kind === 'toolCall' && block.broken !== undefined ? [block] : [...headBlocks(one, callBody), block];
}

/** A refusal is the message's text. */
export function messageText(item: JsonObject): string {
  const parts = listOf(item, 'content');
  return parts.map((part) => textOf(part, 'text') ?? textOf(part, 'refusal') ?? '').join('');
}

/** Stateless, an id alone means nothing to the API; servers of open models give the reasoning's text instead. */
function canGoBack(item: JsonObject): boolean {
  if (textOf(item, 'status') === 'incomplete') return false;
  return (textOf(item, 'encrypted_content') ?? '') !== '' || listOf(item, 'content').length > 0;
}

const messageBody: ReadonlySet<string> = new Set(['content']);
const callBody: ReadonlySet<string> = new Set(['call_id', 'name', 'arguments']);
/** A head of these alone says nothing that is not said without it. */
const implied: ReadonlySet<string> = new Set(['type', 'role']);

function headBlocks({ item, done }: CollectedItem, body: ReadonlySet<string>): readonly AssistantBlock[] {
  const kept = Object.entries(item).filter(([key, value]) => !body.has(key) && value !== null);
  return done && kept.some(([key]) => !implied.has(key)) ? [opaque(Object.fromEntries(kept))] : [];
}

function opaque(item: JsonObject): AssistantBlock {
  return { kind: 'opaque', wire: 'responses', json: JSON.stringify(item) };
}

function isReasoning(block: AssistantBlock): boolean {
  return block.kind === 'opaque' && textOf(parseJson(block.json), 'type') === 'reasoning';
}

export function encodeAnswer(blocks: readonly AssistantBlock[]): readonly JsonObject[] {
  const items: JsonObject[] = [];
  let head: JsonObject | undefined;
  for (const block of blocks) {
    const raw = block.kind === 'opaque' ? rawItem(block) : undefined;
    if (raw !== undefined && isHead(raw)) {
      head = raw;
      continue;
    }
    const item = raw ?? neutralItem(block, head);
    if (item !== undefined) items.push(item);
    head = undefined;
  }
  return items.slice(0, items.findLastIndex((item) => item.type !== 'reasoning') + 1);
}

/** Undefined: another wire's, which means nothing here. */
function rawItem(block: Extract<AssistantBlock, { kind: 'opaque' }>): JsonObject | undefined {
  const json: JsonValue | undefined = block.wire === 'responses' ? parseJson(block.json) : undefined;
  return isObject(json) ? (wellFormedJson(json) as JsonObject) : undefined;
}

function isHead(item: JsonObject): boolean {
  return item.type === 'message' || item.type === 'function_call';
}

function neutralItem(block: AssistantBlock, head: JsonObject | undefined): JsonObject | undefined {
  if (block.kind === 'opaque') return undefined;
  if (block.kind === 'text') return block.text.trim() === '' ? undefined : messageItem(wellFormed(block.text), head);
  return {
    ...(head?.type === 'function_call' ? head : { type: 'function_call' }),
    call_id: block.callId,
    name: toolNameOnWire(block.name),
    arguments: wellFormed(block.inputJson),
  };
}

function messageItem(text: string, head: JsonObject | undefined): JsonObject {
  const content = [{ type: 'output_text', text, annotations: [] }];
  return { ...(head?.type === 'message' ? head : { type: 'message', role: 'assistant' }), content };
}
