/**
 * Says which trigrams every match of a regular expression brings along, as a tree of AND and OR (after Russ Cox, "Regular
 * Expression Matching with a Trigram Index", 2012). Invariant: a line that matches fits the query; `all` fits every line.
 */
import { keyAt, symbolsOf } from './fold.ts';
import type { ClassItem, Regex } from './regex-ast.ts';

export type TrigramQuery =
  | { readonly kind: 'all' }
  | { readonly kind: 'none' }
  | { readonly kind: 'and'; readonly keys: readonly number[]; readonly parts: readonly TrigramQuery[] }
  | { readonly kind: 'or'; readonly parts: readonly TrigramQuery[] };

export const all: TrigramQuery = { kind: 'all' };

const maxExact = 16;
const maxSet = 24;
const maxClass = 8;

/**
 * What is known of the texts that a part matches, in symbols. With `exact` it is all of them; else each begins with one
 * of `prefix`, ends with one of `suffix` and fits `query`.
 */
interface Facts {
  readonly exact: readonly string[] | undefined;
  readonly prefix: readonly string[];
  readonly suffix: readonly string[];
  readonly query: TrigramQuery;
}

export function trigramQueryOf(regex: Regex): TrigramQuery {
  const facts = factsOf(regex);
  return facts.exact === undefined ? facts.query : anyOf(facts.exact);
}

const unknown: Facts = { exact: undefined, prefix: [''], suffix: [''], query: all };
const nothing: Facts = exactly(['']);

function exactly(texts: readonly string[]): Facts {
  return { exact: texts, prefix: [], suffix: [], query: all };
}

function factsOf(regex: Regex): Facts {
  switch (regex.kind) {
    case 'empty':
    case 'lineStart':
    case 'lineEnd':
    case 'wordEdge':
    case 'noWordEdge':
      return nothing;
    case 'char':
      return charFacts(regex.char, regex.fold);
    case 'class':
      return regex.negated ? unknown : classFacts(regex.items, regex.fold);
    case 'any':
    case 'opaque':
      return unknown;
    case 'group':
      return factsOf(regex.part);
    case 'concat':
      return regex.parts.map(factsOf).reduce(joined, nothing);
    case 'either':
      return regex.parts.map(factsOf).reduce(alternative);
    case 'repeat':
      return repeatFacts(regex.part, regex.min, regex.max);
  }
}

function charFacts(char: string, fold: boolean): Facts {
  // Another case of what is not ASCII has other bytes. A newline is in no line.
  if (char === '\n' || (fold && !isAscii(char))) return unknown;
  return exactly([symbolsOf(char)]);
}

function isAscii(char: string): boolean {
  return char.charCodeAt(0) < 0x80;
}

function classFacts(items: readonly ClassItem[], fold: boolean): Facts {
  const chars: string[] = [];
  for (const item of items) {
    if (item.kind === 'perl' || item.to - item.from >= maxClass) return unknown;
    for (let code = item.from; code <= item.to; code += 1) chars.push(String.fromCodePoint(code));
  }
  if (chars.length > maxClass || chars.some((char) => charFacts(char, fold) === unknown)) return unknown;
  return exactly(unique(chars.map(symbolsOf)));
}

function repeatFacts(part: Regex, min: number, max: number): Facts {
  const one = factsOf(part);
  if (max === 0) return nothing;
  if (min === 0) return max === 1 ? alternative(one, nothing) : unknown;
  if (min === max && min <= 4) return Array.from({ length: min }, () => one).reduce(joined, nothing);
  const { prefix, suffix, query } = opened(one);
  return { exact: undefined, prefix, suffix, query };
}

/** One text and then another. */
function joined(a: Facts, b: Facts): Facts {
  if (a.exact !== undefined && b.exact !== undefined && a.exact.length * b.exact.length <= maxExact) {
    return shortened(exactly(crossed(a.exact, b.exact)));
  }
  const [first, second] = [opened(a), opened(b)];
  const prefix = a.exact !== undefined ? bounded(crossed(a.exact, second.prefix), 'prefix') : first.prefix;
  const suffix = b.exact !== undefined ? bounded(crossed(first.suffix, b.exact), 'suffix') : second.suffix;
  const seam = first.suffix.length * second.prefix.length <= 64 ? anyOf(crossed(first.suffix, second.prefix)) : all;
  return { exact: undefined, prefix, suffix, query: and([first.query, second.query, seam]) };
}

function alternative(a: Facts, b: Facts): Facts {
  if (a.exact !== undefined && b.exact !== undefined && a.exact.length + b.exact.length <= maxExact) {
    return exactly(unique([...a.exact, ...b.exact]));
  }
  const [first, second] = [opened(a), opened(b)];
  return {
    exact: undefined,
    prefix: bounded(unique([...first.prefix, ...second.prefix]), 'prefix'),
    suffix: bounded(unique([...first.suffix, ...second.suffix]), 'suffix'),
    query: or([first.query, second.query]),
  };
}

/** The same without `exact`. */
function opened(facts: Facts): Facts {
  if (facts.exact === undefined) return facts;
  return {
    exact: undefined,
    prefix: bounded(facts.exact, 'prefix'),
    suffix: bounded(facts.exact, 'suffix'),
    query: anyOf(facts.exact),
  };
}

/** Long texts stay whole: their trigrams are all worth having. Only many of them are opened. */
function shortened(facts: Facts): Facts {
  const long = (facts.exact ?? []).length > 1 && (facts.exact ?? []).some((text) => text.length > 200);
  return long ? opened(facts) : facts;
}

/** At most `maxSet` texts, each cut to the two symbols that may still make a trigram with a neighbour. */
function bounded(texts: readonly string[], end: 'prefix' | 'suffix'): readonly string[] {
  const cut = (length: number) =>
    unique(texts.map((text) => (end === 'prefix' ? text.slice(0, length) : length === 0 ? '' : text.slice(-length))));
  return [2, 1].map(cut).find((set) => set.length <= maxSet) ?? [''];
}

function crossed(a: readonly string[], b: readonly string[]): string[] {
  return unique(a.flatMap((before) => b.map((after) => before + after)));
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

/** Some of the texts is there. */
function anyOf(texts: readonly string[]): TrigramQuery {
  return or(texts.map(textQuery));
}

/** `text` in symbols. */
export function textQuery(text: string): TrigramQuery {
  const keys: number[] = [];
  for (let at = 0; at + 3 <= text.length; at += 1) keys.push(keyAt(text, at));
  return keys.length === 0 ? all : { kind: 'and', keys: unique(keys), parts: [] };
}

export function and(queries: readonly TrigramQuery[]): TrigramQuery {
  if (queries.some(({ kind }) => kind === 'none')) return { kind: 'none' };
  const keys: number[] = [];
  const parts: TrigramQuery[] = [];
  for (const query of queries) {
    if (query.kind === 'and') {
      keys.push(...query.keys);
      parts.push(...query.parts);
    } else if (query.kind === 'or') parts.push(query);
  }
  return keys.length + parts.length === 0 ? all : { kind: 'and', keys: unique(keys), parts };
}

export function or(queries: readonly TrigramQuery[]): TrigramQuery {
  if (queries.some(({ kind }) => kind === 'all')) return all;
  const parts = queries.filter(({ kind }) => kind !== 'none');
  const [only] = parts;
  if (only === undefined) return { kind: 'none' };
  return parts.length === 1 ? only : { kind: 'or', parts };
}
