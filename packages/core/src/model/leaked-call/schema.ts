/**
 * Checks values against a tool's JSON Schema, as far as the keywords go that tools are declared with; what it does not
 * know it lets pass, as the tool checks its own input before it runs.
 */
import type { JsonObject, JsonValue } from '@zerd/protocol/common/json';
import { isObject } from './form.ts';

export function fitsSchema(value: JsonValue, schema: JsonValue | undefined): boolean {
  if (!isObject(schema)) return schema !== false;
  const fitsOne = (schemas: readonly JsonValue[]) => schemas.some((one) => fitsSchema(value, one));
  return (
    fitsType(value, schema) &&
    (!Array.isArray(schema.enum) || schema.enum.some((one) => one === value)) &&
    (!Array.isArray(schema.anyOf) || fitsOne(schema.anyOf)) &&
    (!Array.isArray(schema.oneOf) || fitsOne(schema.oneOf)) &&
    (typeof value !== 'string' || value.length >= numberOf(schema.minLength, 0)) &&
    (typeof value !== 'number' || fitsBounds(value, schema)) &&
    (!Array.isArray(value) || value.every((one) => fitsSchema(one, schema.items))) &&
    (!isObject(value) || fitsFields(value, schema))
  );
}

function fitsType(value: JsonValue, schema: JsonObject): boolean {
  const types = typesOf(schema);
  return types.length === 0 || types.some((type) => isOfType(value, type));
}

function typesOf(schema: JsonObject): readonly string[] {
  const type: JsonValue | undefined = schema.type;
  return (Array.isArray(type) ? type : [type]).filter((one) => typeof one === 'string');
}

function isOfType(value: JsonValue, type: string): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'null') return value === null;
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}

function fitsBounds(value: number, schema: JsonObject): boolean {
  return value >= numberOf(schema.minimum, -Infinity) && value <= numberOf(schema.maximum, Infinity);
}

function fitsFields(value: JsonObject, schema: JsonObject): boolean {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  const others = schema.additionalProperties;
  return (
    required.every((key) => typeof key === 'string' && Object.hasOwn(value, key)) &&
    Object.entries(value).every(([key, field]) =>
      fitsSchema(field, Object.hasOwn(properties, key) ? properties[key] : others),
    )
  );
}

function numberOf(value: JsonValue | undefined, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

/** What a text means as the argument `key`: itself where the schema takes texts. Undefined: nothing that fits. */
export function readAs(text: string, key: string, schema: JsonObject): JsonValue | undefined {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const field = Object.hasOwn(properties, key) ? properties[key] : undefined;
  if (fitsSchema(text, field)) return text;
  try {
    return JSON.parse(text.trim()) as JsonValue;
  } catch {
    return pythonWords.get(text.trim());
  }
}

const pythonWords: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ['True', true],
  ['False', false],
  ['None', null],
]);
