/** Reads what a provider sent without trusting its shape: what is not of the wanted kind is absent, never an exception. */
import { wellFormed } from '@zerd/core/text/utf8';
import type { JsonObject, JsonValue } from '@zerd/protocol/common/json';

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function objectOf(value: JsonValue | undefined, key: string): JsonObject | undefined {
  const field = fieldOf(value, key);
  return isObject(field) ? field : undefined;
}

export function listOf(value: JsonValue | undefined, key: string): readonly JsonValue[] {
  const field = fieldOf(value, key);
  return Array.isArray(field) ? field : [];
}

export function textOf(value: JsonValue | undefined, key: string): string | undefined {
  const field = fieldOf(value, key);
  return typeof field === 'string' ? field : undefined;
}

export function numberOf(value: JsonValue | undefined, key: string): number | undefined {
  const field = fieldOf(value, key);
  return typeof field === 'number' && Number.isFinite(field) ? field : undefined;
}

/** A count: a non-negative integer, none of which is larger than anything that is counted. */
export function countOf(value: JsonValue | undefined, key: string): number | undefined {
  const field = numberOf(value, key);
  return field !== undefined && field >= 0 && field <= mostCounted ? Math.round(field) : undefined;
}

const mostCounted = 1e12;

export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** The same value with every text made well-formed (I12); keys too. The order of keys stays. */
export function wellFormedJson(value: JsonValue): JsonValue {
  if (typeof value === 'string') return wellFormed(value);
  if (Array.isArray(value)) return value.map(wellFormedJson);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [wellFormed(key), wellFormedJson(field)]));
}

function fieldOf(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
