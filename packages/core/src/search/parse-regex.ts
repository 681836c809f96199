/**
 * Reads the syntax of Rust's regular expressions. Invariant: what is not surely understood, and what ripgrep might refuse,
 * gives undefined, so that ripgrep itself has the word; nothing is guessed.
 */
import { escapedChar, perlClassOf, type Reader, readClass, readerOf } from './parse-class.ts';
import type { Regex } from './regex-ast.ts';

/** More repetitions than these, multiplied out, may be too large for ripgrep. */
const maxRepeat = 1_000;
const maxDepth = 50;
const maxLength = 4_000;

export interface ParsedRegex {
  readonly regex: Regex;
  /** For smart case: what the pattern says literally. */
  readonly hasLiteral: boolean;
  readonly hasUpper: boolean;
  readonly hasDoubtful: boolean;
}

/** `fold`: as if the pattern began with `(?i)`. */
export function parseRegex(pattern: string, fold: boolean): ParsedRegex | undefined {
  if (pattern.length > maxLength || !isWellFormed(pattern)) return undefined;
  const reader = readerOf(pattern);
  const state: State = { reader, depth: 0, names: new Set() };
  try {
    const regex = readEither(state, fold);
    if (reader.peek() !== '' || repeatSize(regex) > maxRepeat) return undefined;
    const { hasLiteral, hasUpper, hasDoubtful } = reader;
    return { regex, hasLiteral, hasUpper, hasDoubtful };
  } catch (error) {
    if (error === notUnderstood) return undefined;
    throw error;
  }
}

/** Without halves of characters. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

const notUnderstood = Symbol('not understood');

interface State {
  readonly reader: Reader;
  depth: number;
  readonly names: Set<string>;
}

function give<T>(value: T | undefined): T {
  if (value === undefined) throw notUnderstood;
  return value;
}

function readEither(state: State, fold: boolean): Regex {
  const parts: Regex[] = [];
  // A flag like `(?i)` holds for the rest of its group, also behind a bar.
  const flags = { fold };
  do parts.push(readConcat(state, flags));
  while (state.reader.skip('|'));
  return parts.length === 1 ? give(parts[0]) : { kind: 'either', parts };
}

function readConcat(state: State, flags: { fold: boolean }): Regex {
  const { reader } = state;
  const parts: Regex[] = [];
  while (reader.peek() !== '' && reader.peek() !== '|' && reader.peek() !== ')') {
    if (readFlags(state, flags)) continue;
    parts.push(readRepeats(reader, readAtom(state, flags.fold)));
  }
  if (parts.length === 0) return { kind: 'empty' };
  return parts.length === 1 ? give(parts[0]) : { kind: 'concat', parts };
}

/** `(?i)` and `(?-i)`. */
function readFlags({ reader }: State, flags: { fold: boolean }): boolean {
  const found = reader.match(/\(\?(-?)i\)/y);
  if (found === undefined) return false;
  flags.fold = found[1] === '';
  // Ripgrep refuses a repetition of it.
  if (/[*+?{]/.test(reader.peek())) throw notUnderstood;
  return true;
}

function readAtom(state: State, fold: boolean): Regex {
  const { reader } = state;
  const char = reader.next();
  if (char === '(') return readGroup(state, fold);
  if (char === '[') return { kind: 'class', ...give(readClass(reader)), fold };
  if (char === '.') return { kind: 'any' };
  if (char === '^') return { kind: 'lineStart' };
  if (char === '$') return { kind: 'lineEnd' };
  if (char === '\\') return readEscape(reader, fold);
  if (/[*+?{]/.test(char)) throw notUnderstood;
  return { kind: 'char', char: reader.literal(char), fold };
}

function readGroup(state: State, fold: boolean): Regex {
  const { reader } = state;
  state.depth += 1;
  if (state.depth > maxDepth) throw notUnderstood;
  const inner = groupFold(state, fold);
  const part = readEither(state, inner);
  if (!reader.skip(')')) throw notUnderstood;
  state.depth -= 1;
  return { kind: 'group', part };
}

function groupFold({ reader, names }: State, fold: boolean): boolean {
  const named = reader.match(/\?P?<([A-Za-z_]\w*)>/y)?.[1];
  if (named !== undefined && (names.has(named) || names.size > 20)) throw notUnderstood;
  if (named !== undefined) names.add(named);
  const flagged = reader.match(/\?(-?i)?:/y);
  if (named === undefined && flagged === undefined && reader.peek() === '?') throw notUnderstood;
  return flagged?.[1] === undefined ? fold : flagged[1] === 'i';
}

function readEscape(reader: Reader, fold: boolean): Regex {
  const perl = perlClassOf(reader);
  if (perl !== undefined) return { kind: 'class', negated: false, items: [perl], fold };
  if (reader.match(/[Az]|[bB]\{|[<>]|[pP]/y) !== undefined) return readOpaque(reader);
  if (reader.skip('b')) return { kind: 'wordEdge' };
  if (reader.skip('B')) return { kind: 'noWordEdge' };
  return { kind: 'char', char: reader.literal(give(escapedChar(reader))), fold };
}

/** Ripgrep must see whether it is well formed: only those are taken that surely are. */
function readOpaque(reader: Reader): Regex {
  const whole = reader.before(1);
  if (/[A<>z]/.test(whole)) return { kind: 'opaque' };
  if (/[pP]/.test(whole) && reader.match(/(?:[LNPSZMC]|\{(?:L[ulmto]?|N[dlo]?|P[cdsefio]?|S[mcko]?|Z[slp]?)\})/y))
    return { kind: 'opaque' };
  if (whole === '{' && reader.match(/(?:start|end|start-half|end-half)\}/y)) return { kind: 'opaque' };
  throw notUnderstood;
}

function readRepeats(reader: Reader, atom: Regex): Regex {
  let regex = atom;
  for (let range = readRange(reader); range !== undefined; range = readRange(reader)) {
    if (!isRepeatable(atom)) throw notUnderstood;
    // A lazy repetition finds the same lines.
    reader.skip('?');
    regex = { kind: 'repeat', part: regex, ...range };
  }
  return regex;
}

function isRepeatable(atom: Regex): boolean {
  return atom.kind === 'char' || atom.kind === 'class' || atom.kind === 'any' || atom.kind === 'group';
}

function readRange(reader: Reader): { readonly min: number; readonly max: number } | undefined {
  if (reader.skip('*')) return { min: 0, max: Infinity };
  if (reader.skip('+')) return { min: 1, max: Infinity };
  if (reader.skip('?')) return { min: 0, max: 1 };
  if (reader.peek() !== '{') return undefined;
  const counted = give(reader.match(/\{(\d{1,4})(,?)(\d{0,4})\}/y));
  const min = Number(counted[1]);
  const max = counted[2] === '' ? min : counted[3] === '' ? Infinity : Number(counted[3]);
  if ((counted[2] === '' && counted[3] !== '') || max < min) throw notUnderstood;
  return { min, max };
}

function repeatSize(regex: Regex): number {
  if (regex.kind === 'repeat') {
    return Math.max(1, Number.isFinite(regex.max) ? regex.max : regex.min) * repeatSize(regex.part);
  }
  if (regex.kind === 'group') return repeatSize(regex.part);
  if (regex.kind === 'concat' || regex.kind === 'either') return Math.max(1, ...regex.parts.map(repeatSize));
  return 1;
}
