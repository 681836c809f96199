/**
 * The longest texts of which every match holds one: looking for them first leaves few lines to match. Invariant: no line
 * that matches is without them; under `fold` that is said of lines that are all ASCII.
 */
import type { Regex } from './regex-ast.ts';

export interface InnerLiteral {
  /** Every match holds at least one. In small letters when `fold`. */
  readonly texts: readonly string[];
  readonly fold: boolean;
  /** The pattern is one of these texts and nothing else. */
  readonly whole: boolean;
}

/** So many alternatives are looked for one by one more quickly than a regular expression goes over the text. */
const mostTexts = 12;

export function innerLiteralOf(regex: Regex): InnerLiteral | undefined {
  const inner = alternativesOf(regex).map(longestOf);
  const [first] = inner;
  if (first === undefined || inner.length > mostTexts) return undefined;
  const texts: string[] = [];
  for (const one of inner) {
    if (one?.fold !== first.fold) return undefined;
    texts.push(one.text);
  }
  return { texts: [...new Set(texts)], fold: first.fold, whole: inner.every((one) => one?.whole === true) };
}

function alternativesOf(regex: Regex): readonly Regex[] {
  if (regex.kind === 'group') return alternativesOf(regex.part);
  return regex.kind === 'either' ? regex.parts.flatMap(alternativesOf) : [regex];
}

function longestOf(regex: Regex): (Run & { readonly whole: boolean }) | undefined {
  const runs: Run[] = [{ text: '', fold: false }];
  collect(regex, runs);
  const { text, fold } = runs.reduce((a, b) => (b.text.length > a.text.length ? b : a));
  if (text === '') return undefined;
  return { text: fold ? text.toLowerCase() : text, fold, whole: isPlain(regex) && lengthOf(regex) === text.length };
}

interface Run {
  text: string;
  fold: boolean;
}

/** Adds to the last run what surely follows it, and begins a new one behind whatever else. */
function collect(regex: Regex, runs: Run[]): void {
  if (regex.kind === 'char') add(regex.char, regex.fold, runs);
  else if (regex.kind === 'group') collect(regex.part, runs);
  else if (regex.kind === 'concat') for (const part of regex.parts) collect(part, runs);
  else if (regex.kind === 'repeat' && regex.min > 0) {
    cut(runs);
    collect(regex.part, runs);
    cut(runs);
  } else if (regex.kind !== 'empty' && !isEdge(regex)) cut(runs);
}

function isEdge({ kind }: Regex): boolean {
  return kind === 'lineStart' || kind === 'lineEnd' || kind === 'wordEdge' || kind === 'noWordEdge';
}

function add(char: string, fold: boolean, runs: Run[]): void {
  const last = runs.at(-1);
  if (fold && char.charCodeAt(0) >= 0x80) cut(runs);
  else if (last === undefined || (last.text !== '' && last.fold !== fold)) runs.push({ text: char, fold });
  else {
    last.text += char;
    last.fold = fold;
  }
}

function cut(runs: Run[]): void {
  if (runs.at(-1)?.text !== '') runs.push({ text: '', fold: false });
}

function lengthOf(regex: Regex): number {
  if (regex.kind === 'char') return regex.char.length;
  if (regex.kind === 'group') return lengthOf(regex.part);
  return regex.kind === 'concat' ? regex.parts.reduce((sum, part) => sum + lengthOf(part), 0) : 0;
}

function isPlain(regex: Regex): boolean {
  if (regex.kind === 'group') return isPlain(regex.part);
  return regex.kind === 'concat' ? regex.parts.every(isPlain) : regex.kind === 'char';
}
