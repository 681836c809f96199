/** What the readers of the forms have in common: every one begins at a place and says where it ended, or nothing. */
import type { JsonObject, JsonValue } from '@zerd/protocol/common/json';

export interface RawCall {
  readonly name: string;
  readonly args: JsonObject;
  /** Arguments that came as mere text: the tool's schema says what they are. */
  readonly texts?: Readonly<Record<string, string>>;
}

export interface Read {
  readonly calls: readonly RawCall[];
  readonly end: number;
}

export type Reader = (text: string, at: number) => Read | undefined;

export interface Family {
  readonly name: string;
  /** Where calls may begin: a global expression. */
  readonly begins: RegExp;
  /** What may stand before, between and after calls: a sticky expression that matches nothing as well. */
  readonly between: RegExp;
  readonly read: Reader;
}

/** The match of a sticky expression exactly at `at`. */
export function matchAt(expression: RegExp, text: string, at: number): RegExpExecArray | undefined {
  expression.lastIndex = at;
  return expression.exec(text) ?? undefined;
}

/** The JSON object or array that begins exactly at `at`. */
export function jsonAt(text: string, at: number): { readonly value: JsonValue; readonly end: number } | undefined {
  const end = endOfJson(text, at);
  if (end === undefined) return undefined;
  try {
    return { value: JSON.parse(text.slice(at, end)) as JsonValue, end };
  } catch {
    return undefined;
  }
}

/** Behind the bracket that closes the one at `at`. */
function endOfJson(text: string, at: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let i = at; i < text.length; i += 1) {
    const unit = text[i];
    if (inString && unit === '\\') i += 1;
    else if (unit === '"') inString = !inString;
    else if (!inString && (unit === '{' || unit === '[')) depth += 1;
    else if (!inString && (unit === '}' || unit === ']')) depth -= 1;
    if (depth === 0) return i > at ? i + 1 : undefined;
  }
  return undefined;
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `open` captures the name, then comes a JSON object, then `close`. */
export function namedJson(open: RegExp, close: RegExp): Reader {
  return (text, at) => {
    const begun = matchAt(open, text, at);
    const json = begun && jsonAt(text, at + begun[0].length);
    const closed = json && matchAt(close, text, json.end);
    if (!closed || !isObject(json.value)) return undefined;
    return { calls: [{ name: begun[1] ?? '', args: json.value }], end: json.end + closed[0].length };
  };
}

/** `open`, then `{"name": …, "arguments": {…}}` or an array of such, then `close`. */
export function jsonCalls(open: RegExp, close: RegExp): Reader {
  return (text, at) => {
    const begun = matchAt(open, text, at);
    const json = begun && jsonAt(text, at + begun[0].length);
    const closed = json && matchAt(close, text, json.end);
    const calls = closed && callsIn(json.value);
    return calls && { calls, end: json.end + closed[0].length };
  };
}

function callsIn(value: JsonValue): readonly RawCall[] | undefined {
  const calls = (Array.isArray(value) ? (value as readonly JsonValue[]) : [value]).map(callIn);
  return calls.length > 0 && calls.every((call) => call !== undefined) ? calls : undefined;
}

function callIn(value: JsonValue): RawCall | undefined {
  if (!isObject(value) || typeof value.name !== 'string') return undefined;
  const args = value.arguments ?? value.parameters;
  return isObject(args) ? { name: value.name, args } : undefined;
}

/** `open` captures the name, each `argument` a key and its text, then comes `close`. */
export function taggedCall(open: RegExp, argument: RegExp, close: RegExp): Reader {
  return (text, at) => {
    const begun = matchAt(open, text, at);
    if (!begun) return undefined;
    let end = at + begun[0].length;
    const texts: [string, string][] = [];
    for (let found = matchAt(argument, text, end); found; found = matchAt(argument, text, end)) {
      texts.push([found[1] ?? '', found[2] ?? '']);
      end += found[0].length;
    }
    const closed = matchAt(close, text, end);
    if (!closed) return undefined;
    return {
      calls: [{ name: begun[1] ?? '', args: {}, texts: Object.fromEntries(texts) }],
      end: end + closed[0].length,
    };
  };
}
