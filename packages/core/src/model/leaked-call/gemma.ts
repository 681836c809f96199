/** Reads Gemma's calls: `call:name{key:<q>text<q>,count:3}`, where the quote is a token of its own that no text holds. */
import type { JsonObject, JsonValue } from '@zerd/protocol/common/json';
import { matchAt, type Reader } from './form.ts';

interface Value {
  readonly value: JsonValue;
  readonly end: number;
}

export function gemmaCall(open: RegExp, quote: string, close: RegExp): Reader {
  return (text, at) => {
    const begun = matchAt(open, text, at);
    const args = begun && objectAt(text, at + begun[0].length, quote);
    const closed = args && matchAt(close, text, args.end);
    return closed && { calls: [{ name: begun[1] ?? '', args: args.value }], end: args.end + closed[0].length };
  };
}

function objectAt(
  text: string,
  at: number,
  quote: string,
): { readonly value: JsonObject; readonly end: number } | undefined {
  if (text[at] !== '{') return undefined;
  const entries: [string, JsonValue][] = [];
  let end = at + 1;
  while (text[end] !== '}') {
    const key = matchAt(/\s*([\w.-]+)\s*:\s*/y, text, end);
    const read = key && valueAt(text, end + key[0].length, quote);
    if (!key || read === undefined) return undefined;
    entries.push([key[1] ?? '', read.value]);
    end = read.end;
  }
  return { value: Object.fromEntries(entries), end: end + 1 };
}

function listAt(text: string, at: number, quote: string): Value | undefined {
  const items: JsonValue[] = [];
  let end = at + 1;
  while (text[end] !== ']') {
    const read = valueAt(text, end, quote);
    if (read === undefined) return undefined;
    items.push(read.value);
    end = read.end;
  }
  return { value: items, end: end + 1 };
}

/** A value and the comma behind it. */
function valueAt(text: string, at: number, quote: string): Value | undefined {
  const read = bareOrNested(text, at, quote);
  return read && { value: read.value, end: read.end + (matchAt(/\s*,?\s*/y, text, read.end)?.[0].length ?? 0) };
}

function bareOrNested(text: string, at: number, quote: string): Value | undefined {
  if (text[at] === '{') return objectAt(text, at, quote);
  if (text[at] === '[') return listAt(text, at, quote);
  if (text.startsWith(quote, at)) {
    const end = text.indexOf(quote, at + quote.length);
    return end < 0 ? undefined : { value: text.slice(at + quote.length, end), end: end + quote.length };
  }
  const word = matchAt(/-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|true|false|null/y, text, at)?.[0];
  return word === undefined ? undefined : { value: JSON.parse(word) as JsonValue, end: at + word.length };
}
