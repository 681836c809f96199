/** Reads what stands in brackets and behind backslashes of a Rust regular expression; undefined: not understood. */
import type { ClassItem } from './regex-ast.ts';
import { hasDoubtful } from './unicode-tables.ts';

export interface Reader {
  /** '' at the end. */
  peek(): string;
  next(): string;
  skip(char: string): boolean;
  /** A sticky expression at this place; moves behind what it matches. */
  match(expression: RegExp): RegExpExecArray | undefined;
  /** The last `n` characters that were read. */
  before(n: number): string;
  /** Notes that the pattern says this character literally. */
  literal(char: string): string;
  readonly hasLiteral: boolean;
  readonly hasUpper: boolean;
  /** Ripgrep may think differently of whether one is a capital. */
  readonly hasDoubtful: boolean;
}

export function readerOf(pattern: string): Reader {
  let at = 0;
  let [hasLiteral, hasUpper, isDoubtful] = [false, false, false];
  const peek = () => (at < pattern.length ? String.fromCodePoint(pattern.codePointAt(at) ?? 0) : '');
  return {
    peek,
    next() {
      const char = peek();
      at += char.length;
      return char;
    },
    skip(char) {
      if (!pattern.startsWith(char, at)) return false;
      at += char.length;
      return true;
    },
    match(expression) {
      const sticky = new RegExp(expression, 'y');
      sticky.lastIndex = at;
      const found = sticky.exec(pattern) ?? undefined;
      if (found !== undefined) at = sticky.lastIndex;
      return found;
    },
    before: (n) => pattern.slice(at - n, at),
    literal(char) {
      hasLiteral = true;
      if (/\p{Uppercase}/u.test(char)) hasUpper = true;
      if (hasDoubtful(char)) isDoubtful = true;
      return char;
    },
    get hasLiteral() {
      return hasLiteral;
    },
    get hasUpper() {
      return hasUpper;
    },
    get hasDoubtful() {
      return isDoubtful;
    },
  };
}

/** Behind the opening bracket. */
export function readClass(reader: Reader): { negated: boolean; items: ClassItem[] } | undefined {
  const negated = reader.skip('^');
  const items: ClassItem[] = [];
  for (let first = true; first || reader.peek() !== ']'; first = false) {
    const found = reader.peek() === '' ? undefined : readItem(reader);
    if (found === undefined) return undefined;
    items.push(...found);
  }
  reader.next();
  return { negated, items };
}

function readItem(reader: Reader): ClassItem[] | undefined {
  // Operators on sets.
  if (reader.match(/&&|--|~~/y) !== undefined) return undefined;
  const posix = reader.match(/\[:([a-z]+):\]/y);
  if (posix !== undefined) return posixClasses[posix[1] ?? ''];
  if (reader.peek() === '[') return undefined;
  const perl = reader.peek() === '\\' ? perlBehindBackslash(reader) : undefined;
  if (perl !== undefined) return reader.match(/-(?!\])/y) === undefined ? [perl] : undefined;
  const from = readMember(reader);
  if (from === undefined) return undefined;
  if (reader.match(/-(?!\])/y) === undefined) return [rangeOf(from, from)];
  if (reader.match(/[-[]/y) !== undefined) return undefined;
  const to = readMember(reader);
  return to === undefined || to < from ? undefined : [rangeOf(from, to)];
}

function perlBehindBackslash(reader: Reader): ClassItem | undefined {
  const found = reader.match(/\\([dDsSwW])/y);
  return found === undefined ? undefined : perlItem(found[1] ?? '');
}

export function perlClassOf(reader: Reader): ClassItem | undefined {
  const found = reader.match(/[dDsSwW]/y);
  return found === undefined ? undefined : perlItem(found[0]);
}

function perlItem(letter: string): ClassItem {
  const name = letter.toLowerCase();
  if (name !== 'd' && name !== 's' && name !== 'w') throw new TypeError(`no class \\${letter}`);
  return { kind: 'perl', name, negated: letter !== name };
}

function readMember(reader: Reader): number | undefined {
  const char = reader.next();
  const member = char === '\\' ? escapedChar(reader) : char;
  if (member === undefined || member === '') return undefined;
  return reader.literal(member).codePointAt(0);
}

const controls: Readonly<Record<string, string>> = { a: '\x07', f: '\f', t: '\t', n: '\n', r: '\r', v: '\v' };

/** Behind a backslash. */
export function escapedChar(reader: Reader): string | undefined {
  const hex = reader.match(/x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|[xuU]\{([0-9A-Fa-f]{1,8})\}/y);
  if (hex !== undefined) return scalar(Number.parseInt(hex[1] ?? hex[2] ?? hex[3] ?? hex[4] ?? '', 16));
  const char = reader.next();
  if (controls[char] !== undefined) return controls[char];
  // Rust takes a backslash before any ASCII sign that is neither letter nor digit; `<` and `>` mean edges of words.
  return /^[!-/:;=?@[-`{-~]$/.test(char) ? char : undefined;
}

function scalar(code: number): string | undefined {
  return code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? undefined : String.fromCodePoint(code);
}

function rangeOf(from: number, to: number): ClassItem {
  return { kind: 'range', from, to };
}

function ranges(...pairs: readonly string[]): ClassItem[] {
  return pairs.map((pair) => rangeOf(pair.charCodeAt(0), pair.charCodeAt(1)));
}

const posixClasses: Readonly<Record<string, ClassItem[]>> = {
  alnum: ranges('09', 'AZ', 'az'),
  alpha: ranges('AZ', 'az'),
  ascii: ranges('\0\x7f'),
  blank: ranges('\t\t', '  '),
  cntrl: ranges('\0\x1f', '\x7f\x7f'),
  digit: ranges('09'),
  graph: ranges('!~'),
  lower: ranges('az'),
  print: ranges(' ~'),
  punct: ranges('!/', ':@', '[`', '{~'),
  space: ranges('\t\r', '  '),
  upper: ranges('AZ'),
  word: ranges('09', 'AZ', 'az', '__'),
  xdigit: ranges('09', 'AF', 'af'),
};
