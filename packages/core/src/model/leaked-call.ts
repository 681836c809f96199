/**
 * Recognises tool calls that a server handed over as text, because its template and its parser do not fit together.
 * Invariant: a text becomes calls only when their markup is its tail, outside code fences, is one of the known forms to
 * the last character, names declared tools alone and fits their schemas. Texts like files and quotes may hold such markup
 * too: anything less stays text. Whether the answer has calls of its own or was cut is the caller's to look at first.
 */
import type { JsonObject } from '@zerd/protocol/common/json';
import { families } from './leaked-call/families.ts';
import { insideFence } from './leaked-call/fence.ts';
import type { Family, RawCall } from './leaked-call/form.ts';
import { fitsSchema, readAs } from './leaked-call/schema.ts';
import type { ToolDeclaration } from './prompt.ts';

export interface LeakedCalls {
  /** The text in front of the calls. */
  readonly before: string;
  readonly calls: readonly { readonly name: string; readonly inputJson: string }[];
}

type Tool = Pick<ToolDeclaration, 'name' | 'inputSchema'>;

/** Longer texts are not looked at: nobody waits for it. */
const longest = 256 * 1024;
/** A text with more beginnings of calls is about calls, or a model in a loop. */
const mostOpenings = 64;

/** No arguments nest deeper, and what does would overflow the stack of whoever walks it. */
const deepest = 200;

/** Undefined: it is a text. */
export function findLeakedCalls(text: string, tools: readonly Tool[]): LeakedCalls | undefined {
  if (text.length > longest || nesting(text) > deepest) return undefined;
  const declared = new Map(tools.map((tool) => [tool.name, tool.inputSchema]));
  for (const family of families) {
    const found = findIn(text, family, declared);
    if (found !== undefined) return found;
  }
  return undefined;
}

function nesting(text: string): number {
  let depth = 0;
  let most = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth = bracket === '[' || bracket === '{' ? depth + 1 : Math.max(0, depth - 1);
    most = Math.max(most, depth);
  }
  return most;
}

function findIn(text: string, family: Family, declared: ReadonlyMap<string, JsonObject>): LeakedCalls | undefined {
  const openings = [...text.matchAll(family.begins)].map((match) => match.index);
  if (openings.length > mostOpenings) return undefined;
  for (const start of openings) {
    const raw = insideFence(text, start) ? undefined : readTail(text, start, family);
    const calls = raw?.map((call) => checkedCall(call, declared));
    if (calls?.every((call) => call !== undefined)) return { before: text.slice(0, start).trimEnd(), calls };
  }
  return undefined;
}

/** The calls from `start` to the very end of the text; undefined: something else is there as well. */
function readTail(text: string, start: number, family: Family): readonly RawCall[] | undefined {
  const calls: RawCall[] = [];
  let at = skip(text, start, family.between);
  while (at < text.length) {
    const read = family.read(text, at);
    if (read === undefined) return undefined;
    calls.push(...read.calls);
    at = skip(text, read.end, family.between);
  }
  return calls.length > 0 ? calls : undefined;
}

function skip(text: string, at: number, between: RegExp): number {
  between.lastIndex = at;
  return between.test(text) ? between.lastIndex : at;
}

function checkedCall(
  { name, args, texts }: RawCall,
  declared: ReadonlyMap<string, JsonObject>,
): LeakedCalls['calls'][number] | undefined {
  const schema = declared.get(name);
  if (schema === undefined) return undefined;
  const read = Object.entries(texts ?? {}).map(([key, text]) => [key, readAs(text, key, schema)] as const);
  if (read.some(([, value]) => value === undefined)) return undefined;
  const input = { ...args, ...Object.fromEntries(read) } as JsonObject;
  return fitsSchema(input, schema) ? { name, inputJson: JSON.stringify(input) } : undefined;
}
