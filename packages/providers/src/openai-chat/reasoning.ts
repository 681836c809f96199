/**
 * Reasoning on Chat Completions: every endpoint has its own field for it, and wants back exactly what it sent under the
 * same name. Kept as an opaque block of wire 'chat'. Facts as of 2026-11-29: DeepSeek and llama.cpp `reasoning_content`,
 * others `reasoning` or `reasoning_text`, OpenRouter `reasoning_details`, Gemini's shim `extra_content` on a call.
 */
import type { AssistantBlock } from '@zerd/protocol/common/event';
import type { JsonObject, JsonValue } from '@zerd/protocol/common/json';
import { isObject, listOf, numberOf, parseJson, textOf, wellFormedJson } from '../json/fields.ts';

const fields = ['reasoning_content', 'reasoning', 'reasoning_text'] as const;

/** What has come so far: the text by field, and OpenRouter's entries. */
export interface Reasoning {
  readonly texts: Readonly<Record<string, string>>;
  readonly details: readonly JsonObject[];
}

export const noReasoning: Reasoning = { texts: {}, details: [] };

/** The collected reasoning after a delta, and what of it is new to show. */
export function addReasoning(known: Reasoning, delta: JsonObject | undefined): readonly [Reasoning, string] {
  // Some send the same text under two names: the first counts.
  const field = fields.find((name) => (textOf(delta, name) ?? '') !== '');
  const details = listOf(delta, 'reasoning_details').filter(isObject);
  if (field === undefined && details.length === 0) return [known, ''];
  const text = field === undefined ? '' : (textOf(delta, field) ?? '');
  const texts = field === undefined ? known.texts : { ...known.texts, [field]: (known.texts[field] ?? '') + text };
  const detailed = details.map((detail) => textOf(detail, 'text') ?? textOf(detail, 'summary') ?? '').join('');
  return [{ texts, details: details.reduce(addDetail, known.details) }, text || detailed];
}

/** Pieces of one text or summary join; anything else (encrypted, signed) stays an entry of its own. */
function addDetail(known: readonly JsonObject[], piece: JsonObject): readonly JsonObject[] {
  const last = known.at(-1);
  const field = textOf(piece, 'text') === undefined ? 'summary' : 'text';
  const more = textOf(piece, field);
  const joins =
    last !== undefined &&
    more !== undefined &&
    last.type === piece.type &&
    numberOf(last, 'index') === numberOf(piece, 'index');
  if (!joins) return [...known, piece];
  const whole = (textOf(last, field) ?? '') + more;
  const rest = Object.fromEntries(Object.entries(piece).filter(([, value]) => value !== null));
  return [...known.slice(0, -1), { ...last, ...rest, [field]: whole }];
}

/** Where `reasoning_details` came, they hold the text as well: one of the two goes back, never both. */
export function reasoningBlocks({ texts, details }: Reasoning): readonly AssistantBlock[] {
  if (details.length > 0) return [opaque({ field: 'reasoning_details', details })];
  return Object.entries(texts)
    .filter(([, text]) => text !== '')
    .map(([field, text]) => opaque({ field, text }));
}

/** What an endpoint hung on the answer's n-th call and wants back there. */
export function callExtra(call: number, value: JsonValue): AssistantBlock {
  return opaque({ field: 'extra_content', call, value });
}

function opaque(value: JsonObject): AssistantBlock {
  return { kind: 'opaque', wire: 'chat', json: JSON.stringify(value) };
}

/** The message's fields that an answer's opaque blocks stand for, and the extras of its calls. */
export function replayReasoning(blocks: readonly AssistantBlock[]): {
  readonly message: JsonObject;
  readonly extras: ReadonlyMap<number, JsonValue>;
} {
  const values = blocks.flatMap((block) =>
    block.kind === 'opaque' && block.wire === 'chat' ? [parseJson(block.json)] : [],
  );
  const message: Record<string, JsonValue> = {};
  const extras = new Map<number, JsonValue>();
  for (const value of values.filter(isObject)) {
    const field = textOf(value, 'field');
    const call = numberOf(value, 'call');
    if (field === 'extra_content' && call !== undefined) extras.set(call, wellFormedJson(value.value ?? null));
    else if (field === 'reasoning_details') message[field] = wellFormedJson(listOf(value, 'details'));
    else if (field !== undefined) message[field] = wellFormedJson(textOf(value, 'text') ?? '');
  }
  return { message, extras };
}
