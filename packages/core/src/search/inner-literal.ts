/**
 * The longest text that every match holds: looking for it first leaves few lines to match. Invariant: no line that
 * matches is without it; under `fold` that is said of lines that are all ASCII.
 */
import type { Regex } from './regex-ast.ts';

export interface InnerLiteral {
  /** In small letters when `fold`. */
  readonly text: string;
  readonly fold: boolean;
  /** The pattern is this text and nothing else. */
  readonly whole: boolean;
}

export function innerLiteralOf(regex: Regex): InnerLiteral | undefined {
  const runs: Run[] = [{ text: '', fold: false }];
  collect(regex, runs);
  const longest = runs.reduce((a, b) => (b.text.length > a.text.length ? b : a));
  if (longest.text === '') return undefined;
  const whole = isPlain(regex) && lengthOf(regex) === longest.text.length;
  return { text: longest.fold ? longest.text.toLowerCase() : longest.text, fold: longest.fold, whole };
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
