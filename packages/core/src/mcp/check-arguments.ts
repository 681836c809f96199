/**
 * Checks the arguments of a call against the schema of its tool, before the server sees them. Invariants: what cannot be
 * read of a schema refuses nothing, the server judges it; no pattern of a server is run here.
 */
import type { JsonObject, JsonValue } from '@zerd/protocol/common/json';
import { z } from 'zod';
import { schemaEffort } from './schema-effort.ts';

const mostProblems = 5;
const mostEffort = 10_000;

/** What does not fit, each with its place; empty: it fits, or nobody here can tell. */
export function argumentProblems(schema: JsonObject, input: JsonObject): readonly string[] {
  const reader = readerOf(schema);
  const checked = reader?.safeParse(input);
  if (checked === undefined || checked.success) return [];
  return checked.error.issues.slice(0, mostProblems).map(({ path, message }) => {
    const place = path.join('.');
    return place === '' ? message : `${place}: ${message}`;
  });
}

function readerOf(schema: JsonObject): z.ZodType | undefined {
  try {
    if (schemaEffort(schema) > mostEffort) return undefined;
    return z.fromJSONSchema(lenient(withDialect(schema)) as Parameters<typeof z.fromJSONSchema>[0]);
  } catch {
    // It has something that is not known here.
    return undefined;
  }
}

/** `definitions` are those of an older dialect; many servers do not name theirs. */
function withDialect(schema: JsonObject): JsonObject {
  const { $schema: _, ...rest } = schema;
  return 'definitions' in rest ? { ...rest, $schema: 'http://json-schema.org/draft-07/schema#' } : rest;
}

/** Only what says which fields there are and of which type. */
const unchecked: ReadonlySet<string> = new Set([
  ...['pattern', 'format', 'contentEncoding', 'contentMediaType', 'propertyNames'],
  ...['if', 'then', 'else', 'not', 'dependentSchemas', 'dependentRequired', 'dependencies'],
  ...['unevaluatedProperties', 'unevaluatedItems', 'contains', 'minContains', 'maxContains'],
]);

/** Places where names stand for schemas: a parameter may be called `format`. */
const named: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);

function lenient(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(lenient);
  if (!isObject(value)) return value;
  const { patternProperties, additionalProperties, nullable, ...rest } = value;
  const closed = patternProperties === undefined && additionalProperties !== undefined ? { additionalProperties } : {};
  const kept = Object.entries({ ...rest, ...closed }).filter(([key]) => !unchecked.has(key));
  const read = Object.fromEntries(
    kept.map(([key, v]) => [key, named.has(key) && isObject(v) ? eachOf(v) : lenientOf(key, v)]),
  );
  return nullable === true ? { anyOf: [read, { type: 'null' }] } : read;
}

/** Values are no schemas. */
function lenientOf(key: string, value: JsonValue): JsonValue {
  return key === 'enum' || key === 'const' || key === 'default' || key === 'examples' ? value : lenient(value);
}

function eachOf(schemas: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, lenient(schema)]));
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
