/**
 * A body in parts whose equality is the provider's cached prefix: tools, system, each message or input item; the system
 * prompt of OpenAI's wires is their first one. Invariant: cache marks do not count, as moving them changes no prefix (I3).
 */
import { createHash } from 'node:crypto';
import type { Segment } from '@zerd/protocol/common/event';
import type { JsonObject, JsonValue } from '@zerd/protocol/common/json';
import { isObject, listOf, textOf } from './json/fields.ts';

export function segmentsOf(body: JsonObject): readonly Segment[] {
  const [part, messages] =
    body.input === undefined ? ['message', listOf(body, 'messages')] : ['item', listOf(body, 'input')];
  const leading = /^(system|developer)$/.test(textOf(messages[0], 'role') ?? '') ? messages.slice(0, 1) : [];
  const system = body.system ?? leading[0];
  return [
    ...(body.tools === undefined ? [] : [segment('tools', body.tools)]),
    ...(system === undefined ? [] : [segment('system', system)]),
    ...messages.slice(leading.length).map((message, i) => segment(`${part} ${i}`, message)),
  ];
}

function segment(name: string, part: JsonValue): Segment {
  const json = JSON.stringify(unmarked(part));
  return { name, hash: createHash('sha256').update(json).digest('hex').slice(0, 16), bytes: Buffer.byteLength(json) };
}

/** Marks stand on tools, system blocks and content blocks; the same key inside a tool's input is the model's. */
function unmarked(part: JsonValue): JsonValue {
  if (Array.isArray(part)) return part.map(withoutMark);
  if (!isObject(part) || !Array.isArray(part.content)) return part;
  return { ...part, content: part.content.map(withoutMark) };
}

function withoutMark(block: JsonValue): JsonValue {
  if (!isObject(block)) return block;
  const { cache_control: _, prompt_cache_breakpoint: __, ...rest } = block;
  return rest;
}
