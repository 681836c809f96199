/** The parts of a Rust regular expression as far as they are understood here. */

export type Regex =
  | { readonly kind: 'empty' }
  /** `fold`: in any case. */
  | { readonly kind: 'char'; readonly char: string; readonly fold: boolean }
  | { readonly kind: 'class'; readonly negated: boolean; readonly items: readonly ClassItem[]; readonly fold: boolean }
  /** Any character but the newline. */
  | { readonly kind: 'any' }
  | { readonly kind: 'lineStart' }
  | { readonly kind: 'lineEnd' }
  | { readonly kind: 'wordEdge' }
  | { readonly kind: 'noWordEdge' }
  /** Well formed, but matched by ripgrep alone; it may match anything, also nothing. */
  | { readonly kind: 'opaque' }
  | { readonly kind: 'concat'; readonly parts: readonly Regex[] }
  | { readonly kind: 'either'; readonly parts: readonly Regex[] }
  | { readonly kind: 'repeat'; readonly part: Regex; readonly min: number; readonly max: number }
  /** In parentheses: capturing makes no difference here. */
  | { readonly kind: 'group'; readonly part: Regex };

export type ClassItem =
  /** Code points, both ends included. */
  | { readonly kind: 'range'; readonly from: number; readonly to: number }
  | { readonly kind: 'perl'; readonly name: PerlClass; readonly negated: boolean };

export type PerlClass = 'd' | 's' | 'w';

/** All parts, the whole first. */
export function* partsOf(regex: Regex): Generator<Regex> {
  yield regex;
  if (regex.kind === 'concat' || regex.kind === 'either') for (const part of regex.parts) yield* partsOf(part);
  else if (regex.kind === 'repeat' || regex.kind === 'group') yield* partsOf(regex.part);
}

export function literalRegex(text: string, fold: boolean): Regex {
  return { kind: 'concat', parts: [...text].map((char) => ({ kind: 'char', char, fold })) };
}
