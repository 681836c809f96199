/** Reads calls written as Python: `name(key='value', count=3)`. Positional arguments and expressions are no calls. */
import type { JsonObject, JsonValue } from '@zerd/protocol/common/json';
import { matchAt, type RawCall, type Reader } from './form.ts';

interface Value {
  readonly value: JsonValue;
  readonly end: number;
}

/** `open`, calls separated by commas or line ends, `close`. */
export function pythonCalls(open: RegExp, close: RegExp): Reader {
  return (text, at) => {
    const begun = matchAt(open, text, at);
    if (!begun) return undefined;
    const calls: RawCall[] = [];
    let end = at + begun[0].length;
    for (let closed = matchAt(close, text, end); !closed; closed = matchAt(close, text, end)) {
      const call = callAt(text, end);
      if (call === undefined) return undefined;
      calls.push(call);
      end = call.end + (matchAt(/\s*,?\s*/y, text, call.end)?.[0].length ?? 0);
    }
    return { calls, end: end + (matchAt(close, text, end)?.[0].length ?? 0) };
  };
}

function callAt(text: string, at: number): (RawCall & { readonly end: number }) | undefined {
  const begun = matchAt(/([A-Za-z_][\w.-]*)\(\s*/y, text, at);
  const args = begun && entriesAt(text, at + begun[0].length, /([A-Za-z_]\w*)\s*=\s*/y, ')');
  return args && { name: begun[1] ?? '', args: args.value, end: args.end };
}

/** `key value, key value` up to and with `close`; `key` captures the key and takes in what separates it from the value. */
function entriesAt(
  text: string,
  at: number,
  key: RegExp,
  close: string,
): { readonly value: JsonObject; readonly end: number } | undefined {
  const entries: [string, JsonValue][] = [];
  let end = at;
  while (text[end] !== close) {
    const found = matchAt(key, text, end);
    const read = found && valueAt(text, end + found[0].length);
    const next = read && afterItem(text, read.end, close);
    if (next === undefined) return undefined;
    entries.push([found?.[1] ?? found?.[2] ?? '', read?.value ?? null]);
    end = next;
  }
  return { value: Object.fromEntries(entries), end: end + 1 };
}

/** Behind an item and its comma; undefined: neither a comma nor the end follows. */
function afterItem(text: string, at: number, close: string): number | undefined {
  const [separator = ''] = matchAt(/\s*,?\s*/y, text, at) ?? [];
  const next = at + separator.length;
  return separator.includes(',') || text[next] === close ? next : undefined;
}

function valueAt(text: string, at: number): Value | undefined {
  const first = text[at];
  if (first === '"' || first === "'") return stringAt(text, at, first);
  const inside = at + 1 + (matchAt(/\s*/y, text, at + 1)?.[0].length ?? 0);
  if (first === '{') return entriesAt(text, inside, /(?:"([^"\\]*)"|'([^'\\]*)')\s*:\s*/y, '}');
  if (first === '[') return listAt(text, inside);
  const word = matchAt(/-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|True|False|None|true|false|null/y, text, at)?.[0];
  if (word === undefined) return undefined;
  return { value: JSON.parse(word === 'None' ? 'null' : word.toLowerCase()) as JsonValue, end: at + word.length };
}

function listAt(text: string, at: number): Value | undefined {
  const items: JsonValue[] = [];
  let end = at;
  while (text[end] !== ']') {
    const read = valueAt(text, end);
    const next = read && afterItem(text, read.end, ']');
    if (next === undefined) return undefined;
    items.push(read?.value ?? null);
    end = next;
  }
  return { value: items, end: end + 1 };
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\n': '' };

function stringAt(text: string, at: number, quote: string): Value | undefined {
  let value = '';
  for (let i = at + 1; i < text.length; i += 1) {
    const unit = text[i] ?? '';
    if (unit === quote) return { value, end: i + 1 };
    if (unit !== '\\') value += unit;
    else {
      const code = matchAt(/\\(?:x([\da-f]{2})|u([\da-f]{4}))/iy, text, i);
      const next = text[i + 1] ?? '';
      value += code ? String.fromCharCode(Number.parseInt(code[1] ?? code[2] ?? '', 16)) : escapeOf(next);
      i += code ? code[0].length - 1 : 1;
    }
  }
  return undefined;
}

/** Python leaves an escape that it does not know as it is. */
function escapeOf(unit: string): string {
  return escapes[unit] ?? (/["'\\]/.test(unit) ? unit : `\\${unit}`);
}
