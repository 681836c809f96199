/**
 * Makes what a server says of its tools fit to be kept: bounded, with nothing hidden in it (S-63). Invariant: a tool is
 * taken as it is but for text that only explains it, or left out and named.
 */
import type { JsonObject, JsonValue } from '@zerd/protocol/common/json';
import { sanitiseLine, withoutHidden } from '@zerd/protocol/common/sanitise';
import type { McpTool } from './server.ts';

export const mostTools = 500;
const mostSchemaCharacters = 32 * 1024;
const mostDescription = 8 * 1024;
const mostInstructions = 16 * 1024;
const toolName = /^[A-Za-z0-9_./-]{1,128}$/;

export interface CleanTools {
  readonly tools: readonly McpTool[];
  /** A sentence for each that was left out, the first of them. */
  readonly leftOut: readonly string[];
}

export function cleanTools(listed: readonly unknown[]): CleanTools {
  const tools = new Map<string, McpTool>();
  const leftOut: string[] = [];
  for (const one of listed) {
    const tool = cleaned(one);
    if (typeof tool === 'string') leftOut.push(tool);
    else if (tools.has(tool.name)) leftOut.push(`${tool.name} is listed twice: the first counts`);
    else if (tools.size >= mostTools) leftOut.push(`${tool.name} is one more than ${mostTools}`);
    else tools.set(tool.name, tool);
  }
  return { tools: [...tools.values()], leftOut: firstOf(leftOut) };
}

export function cleanInstructions(text: string | undefined): string {
  return cut(withoutHidden(text ?? '').trim(), mostInstructions);
}

/** What is nested deeper than the language can follow is no schema that somebody wrote. */
function cleaned(one: unknown): McpTool | string {
  try {
    return cleanTool(one);
  } catch (error) {
    if (error instanceof RangeError) return 'one with a schema that is nested too deeply';
    throw error;
  }
}

/** A text: why it is left out. */
function cleanTool(one: unknown): McpTool | string {
  if (!isObject(one) || typeof one.name !== 'string') return 'one without a name';
  const { name, description, inputSchema } = one;
  const called = sanitiseLine(name.slice(0, 80));
  if (!toolName.test(name))
    return `${JSON.stringify(called)} is no name of a tool: letters, digits, _ . / - , 128 at most`;
  if (!isObject(inputSchema) || inputSchema.type !== 'object') return `${called} has no schema of an object`;
  if (JSON.stringify(inputSchema).length > mostSchemaCharacters)
    return `${called} has a schema of more than ${mostSchemaCharacters} characters`;
  const schema = cleanWords(inputSchema) as JsonObject;
  const text = JSON.stringify(schema);
  if (text !== withoutHidden(text)) return `${called} has hidden characters in its schema`;
  return { name, description: cut(cleanText(description), mostDescription), inputSchema: schema };
}

/** Text that explains an argument; what names or fixes one is left as it is. */
function cleanWords(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(cleanWords);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      explains.has(key) && typeof each === 'string' ? withoutHidden(each) : cleanWords(each),
    ]),
  );
}

const explains: ReadonlySet<string> = new Set(['description', 'title', '$comment']);

function cleanText(text: unknown): string {
  return typeof text === 'string' ? withoutHidden(text).trim() : '';
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${withoutHidden(text.slice(0, most))}…`;
}

const mostNamed = 20;

function firstOf(sentences: readonly string[]): readonly string[] {
  const more = sentences.length - mostNamed;
  return more <= 0 ? sentences : [...sentences.slice(0, mostNamed), `and ${more} more`];
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
