/**
 * Words the schema of one tool for the model, within its bytes: whole, else without what only explains, else its
 * beginning. Pure.
 */
import type { JsonObject, JsonValue } from '@zerd/protocol/common/json';
import { clipUtf8, utf8Length } from '../text/utf8.ts';

export function schemaText(schema: JsonObject, bytes: number): string {
  const { $schema: _, ...rest } = schema;
  const whole = JSON.stringify(rest);
  if (utf8Length(whole) <= bytes) return whole;
  const bare = JSON.stringify(withoutWords(rest));
  return utf8Length(bare) <= bytes ? bare : `${clipUtf8(bare, bytes)}… [the schema is longer]`;
}

const explaining: ReadonlySet<string> = new Set(['description', 'title', 'examples', '$comment', 'default']);

/** A parameter may have one of these names: it is an object then, and stays. */
function withoutWords(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutWords);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key, v]) => !explaining.has(key) || isObject(v));
  return Object.fromEntries(kept.map(([key, v]) => [key, withoutWords(v)]));
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
