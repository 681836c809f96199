/**
 * Words a tool in one line, `create_issue(owner, title, labels?: string[])`, from the JSON schema of its arguments: a
 * parameter without a type is a string, `?` marks one that may be left out. Pure and bounded: the same schema gives the
 * same line, however large it is.
 */
import type { JsonObject } from '@zerd/protocol/common/json';
import { plainText, shortText } from './plain-text.ts';
import type { McpTool } from './server.ts';

/** Characters of a line; what no longer fits is an ellipsis. */
const longest = 240;
const longestName = 64;
const longestType = 60;

export function signatureOf({ name, inputSchema }: Pick<McpTool, 'name' | 'inputSchema'>): string {
  const shown = toolName(name);
  const parts: string[] = [];
  let left = longest - shown.length;
  for (const parameter of parametersOf(inputSchema, { depth: 0, inside: false })) {
    left -= parameter.length + 2;
    if (left < 0) return `${shown}(${[...parts, '…'].join(', ')})`;
    parts.push(parameter);
  }
  return `${shown}(${parts.join(', ')})`;
}

/** Exact where it can be called by: a name that is no plain word is quoted. */
export function toolName(name: string): string {
  return /^[\w.\-/:$]{1,128}$/.test(name) ? name : JSON.stringify(plainText(name).slice(0, longestName));
}

/** How deep in the schema a type stands, and whether it is a field of an object that is shown. */
interface Place {
  readonly depth: number;
  readonly inside: boolean;
}

const deepest = 6;

/** Those that must be given come first. */
function parametersOf(schema: JsonObject, place: Place): readonly string[] {
  const properties = Object.entries(objectOf(schema.properties) ?? {});
  const required = new Set<unknown>(Array.isArray(schema.required) ? schema.required : []);
  const [needed, optional] = [true, false].map((wanted) =>
    properties.filter(([name]) => required.has(name) === wanted).slice(0, mostParameters),
  );
  return [
    ...(needed ?? []).map(([name, type]) => parameter(name, '', type, place)),
    ...(optional ?? []).map(([name, type]) => parameter(name, '?', type, place)),
  ];
}

/** More are not looked at: they would not fit. */
const mostParameters = longest / 2;

function parameter(name: string, mark: '' | '?', schema: unknown, place: Place): string {
  const type = typeOf(objectOf(schema), place);
  const shown = /^[\w.\-$]{1,64}$/.test(name) ? name : JSON.stringify(plainText(name).slice(0, longestName));
  return `${shown}${mark}${type === 'string' ? '' : `: ${type}`}`;
}

const shortNames: Readonly<Record<string, string>> = { integer: 'int', boolean: 'bool' };

function typeOf(schema: JsonObject | undefined, { depth, inside }: Place): string {
  if (schema === undefined || depth > deepest) return 'any';
  const below = { depth: depth + 1, inside };
  if (Array.isArray(schema.enum)) return choice(schema.enum);
  if ('const' in schema) return choice([schema.const]);
  const options = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(options))
    return union(options.slice(0, mostOptions).map((option) => typeOf(objectOf(option), below)));
  const { type } = schema;
  if (Array.isArray(type))
    return union(type.slice(0, mostOptions).map((one: unknown) => typeOf({ ...schema, type: one as string }, below)));
  if (type === 'array') return `${inBrackets(typeOf(objectOf(schema.items), below))}[]`;
  if (type === 'object' || 'properties' in schema) return shape(schema, below);
  return typeof type === 'string' ? (shortNames[type] ?? plainText(type).slice(0, longestName)) : 'any';
}

const mostOptions = 8;

/** The fields of an object, but not of an object in it. */
function shape(schema: JsonObject, { depth, inside }: Place): string {
  const fields = inside ? [] : parametersOf(schema, { depth, inside: true });
  const all = `{${fields.join(', ')}}`;
  return fields.length > 0 && all.length <= longestType * 2 ? all : 'object';
}

function choice(values: readonly unknown[]): string {
  const shown = values.slice(0, mostOptions).map((value) => shortText(JSON.stringify(value) ?? 'null', longestType));
  const fitting = shown.filter((_, at) => shown.slice(0, at + 1).join('|').length <= longestType);
  return [...fitting, ...(fitting.length < values.length ? ['…'] : [])].join('|');
}

/** That something may be null besides says little: mostly it may be left out too. */
function union(types: readonly string[]): string {
  const kinds = [...new Set(types.filter((type) => type !== 'null'))];
  const all = kinds.length === 0 ? 'null' : kinds.join('|');
  return all.length <= longestType * 2 ? all : 'any';
}

function inBrackets(type: string): string {
  return type.includes('|') ? `(${type})` : type;
}

function objectOf(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}
