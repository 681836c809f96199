/** Decides how a pattern is searched for: which trigrams narrow the files, and what matches their lines. */
import { type InnerLiteral, innerLiteralOf } from './inner-literal.ts';
import { type MatchEffort, matchEffortOf } from './match-effort.ts';
import { isWellFormed, parseRegex } from './parse-regex.ts';
import { literalRegex, partsOf, type Regex } from './regex-ast.ts';
import { type Translation, translateRegex } from './translate-regex.ts';
import { type TrigramQuery, trigramQueryOf } from './trigram-query.ts';

export interface PatternWish {
  readonly pattern: string;
  readonly literal?: boolean;
  readonly ignoreCase?: boolean;
  /** In any case when the pattern holds no capital. */
  readonly smartCase?: boolean;
  readonly wholeWord?: boolean;
  readonly multiline?: boolean;
}

export interface PatternPlan {
  readonly trigrams: TrigramQuery;
  /** Some letter counts in any case: blocks that hold the Kelvin sign or the long s are candidates too. */
  readonly fold: boolean;
  /** A match may go over lines: the trigrams may be in different blocks of a file. */
  readonly multiline: boolean;
  /** Absent: only ripgrep can match it. */
  readonly matcher?: LineMatcher;
}

/** Plain data: it goes to worker threads. */
export interface LineMatcher extends Translation, MatchEffort {
  readonly inner?: InnerLiteral;
}

/** Undefined: not understood, ripgrep searches the tree. */
export function planSearch(wish: PatternWish): PatternPlan | undefined {
  const parsed = parse(wish);
  if (parsed === undefined) return undefined;
  const { regex, fold } = parsed;
  const multiline = wish.multiline === true || isMultiline(wish.pattern);
  const trigrams = trigramQueryOf(regex);
  const translation = multiline ? undefined : translateRegex(regex, wish.wholeWord === true);
  if (translation === undefined) return { trigrams, fold, multiline };
  const inner = innerLiteralOf(regex);
  const whole = inner?.whole === true && wish.wholeWord !== true;
  const matcher = {
    ...translation,
    ...matchEffortOf(regex),
    ...(inner === undefined ? {} : { inner: { ...inner, whole } }),
  };
  return { trigrams, fold, multiline, matcher };
}

/** What makes a search go over lines without being told. */
export function isMultiline(pattern: string): boolean {
  return /\n|\\n/.test(pattern);
}

function parse(wish: PatternWish): { readonly regex: Regex; readonly fold: boolean } | undefined {
  const fold = wish.ignoreCase === true;
  if (wish.literal !== true) {
    const parsed = parseRegex(wish.pattern, fold);
    const smart = wish.smartCase === true && !fold && parsed?.hasLiteral === true && !parsed.hasUpper;
    const { regex } = (smart ? parseRegex(wish.pattern, true) : parsed) ?? {};
    return regex === undefined ? undefined : { regex, fold: [...partsOf(regex)].some(isFolded) };
  }
  if (wish.pattern === '' || !isWellFormed(wish.pattern)) return undefined;
  const smart = wish.smartCase === true && !/\p{Uppercase}/u.test(wish.pattern);
  return { regex: literalRegex(wish.pattern, fold || smart), fold: fold || smart };
}

function isFolded(part: Regex): boolean {
  return (part.kind === 'char' || part.kind === 'class') && part.fold;
}
