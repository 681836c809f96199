/**
 * Leaves off what a regular expression says of the rest of a line: `^.*word.*$` matches where `word` does. Invariant: of
 * lines that are valid text the same ones match, and the first match begins at the same place, or at the line's when said.
 */
import type { Regex } from './regex-ast.ts';

export interface TrimmedRegex {
  readonly regex: Regex;
  /** The first match begins where the line does. */
  readonly fromStart: boolean;
}

/** Undefined: there is nothing to leave off. */
export function trimRegex(regex: Regex): TrimmedRegex | undefined {
  if (regex.kind !== 'concat') return undefined;
  const { parts } = regex;
  const head = headOf(parts);
  const end = parts.length - tailOf(parts.slice(head));
  if (head >= end || (head === 0 && end === parts.length)) return undefined;
  return { regex: { kind: 'concat', parts: parts.slice(head, end) }, fromStart: head > 0 };
}

/** How many parts at the beginning take whatever stands before the others. */
function headOf(parts: readonly Regex[]): number {
  const begin = parts[0]?.kind === 'lineStart' ? 1 : 0;
  const end = parts.findIndex((part, n) => n >= begin && !mayBeNothing(part));
  const last = parts.slice(0, end < 0 ? undefined : end).findLastIndex((part) => isAnything(part));
  return last + 1;
}

function tailOf(parts: readonly Regex[]): number {
  const end = parts.at(-1)?.kind === 'lineEnd' ? 1 : 0;
  const last = parts.at(-1 - end);
  return last !== undefined && isAnything(last) ? 1 + end : 0;
}

/** Repeats single characters, if any: what stands beside it may take them. */
function mayBeNothing(part: Regex): boolean {
  if (part.kind !== 'repeat' || part.min > 0) return false;
  return part.part.kind === 'char' || part.part.kind === 'class' || part.part.kind === 'any';
}

function isAnything(part: Regex): boolean {
  return part.kind === 'repeat' && part.min === 0 && part.max === Infinity && part.part.kind === 'any';
}
