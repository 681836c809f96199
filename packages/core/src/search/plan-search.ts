/** Decides how a pattern is searched for: which trigrams narrow the files, and what matches their lines. */
import { symbolsOf } from './fold.ts';
import { type InnerLiteral, innerLiteralOf } from './inner-literal.ts';
import { type MatchEffort, matchEffortOf } from './match-effort.ts';
import { isWellFormed, parseRegex } from './parse-regex.ts';
import { literalRegex, partsOf, type Regex } from './regex-ast.ts';
import { type Translation, translateRegex } from './translate-regex.ts';
import { type TrigramQuery, textQuery, trigramQueryOf } from './trigram-query.ts';
import { trimRegex } from './trim-regex.ts';
import { hasDoubtful } from './unicode-tables.ts';

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
  /**
   * Whether letters count in any case. In some parts only: blocks that hold the Kelvin sign or the long s are candidates
   * too, since the index has such a text either as it stands or with the ASCII letters in their place.
   */
  readonly fold: 'none' | 'some' | 'all';
  /** A match may go over lines: the trigrams may be in different blocks of a file. */
  readonly multiline: boolean;
  /** Absent: only ripgrep can match it. */
  readonly matcher?: LineMatcher;
  /** Each text of the matcher has its own trigrams: a block that fits some of these need not be searched for the others. */
  readonly byText?: readonly TrigramQuery[];
}

/** Plain data: it goes to worker threads. */
export interface LineMatcher extends Translation, MatchEffort {
  readonly inner?: InnerLiteral;
  /** A match begins where its line does, wherever the expression finds one. */
  readonly fromStart?: true;
}

/** Undefined: not understood, ripgrep searches the tree. */
export function planSearch(wish: PatternWish): PatternPlan | undefined {
  const parsed = parse(wish);
  if (parsed === undefined) return undefined;
  const { regex, fold } = parsed;
  const multiline = wish.multiline === true || isMultiline(wish.pattern);
  const trigrams = trigramQueryOf(regex);
  const matcher = multiline ? undefined : matcherOf(regex, wish.wholeWord === true);
  if (matcher === undefined) return { trigrams, fold, multiline };
  const byText = fold === 'none' ? byTextOf(trigrams, matcher.inner) : undefined;
  return { trigrams, fold, multiline, matcher, ...(byText === undefined ? {} : { byText }) };
}

function byTextOf(trigrams: TrigramQuery, inner: InnerLiteral | undefined): PatternPlan['byText'] {
  if (trigrams.kind !== 'or' || inner === undefined || inner.fold) return undefined;
  const queries = inner.texts.map((text) => textQuery(symbolsOf(text)));
  return isSameQuery(trigrams, { kind: 'or', parts: queries }) ? queries : undefined;
}

function isSameQuery(a: TrigramQuery, b: TrigramQuery): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function matcherOf(whole: Regex, wholeWord: boolean): LineMatcher | undefined {
  const trimmed = wholeWord ? undefined : trimRegex(whole);
  const regex = trimmed?.regex ?? whole;
  const translation = translateRegex(regex, wholeWord);
  if (translation === undefined) return undefined;
  const inner = innerLiteralOf(regex);
  // In a line that is no valid text, what was left off may not match.
  const isWhole = inner?.whole === true && !wholeWord && trimmed === undefined;
  return {
    ...translation,
    ...matchEffortOf(regex),
    ...(inner === undefined ? {} : { inner: { ...inner, whole: isWhole } }),
    ...(trimmed?.fromStart === true ? { fromStart: true } : {}),
  };
}

/** What makes a search go over lines without being told. */
export function isMultiline(pattern: string): boolean {
  return /\n|\\n/.test(pattern);
}

function parse(wish: PatternWish): (Pick<PatternPlan, 'fold'> & { readonly regex: Regex }) | undefined {
  const fold = wish.ignoreCase === true;
  if (wish.literal !== true) {
    const parsed = parseRegex(wish.pattern, fold);
    if (wish.smartCase === true && parsed?.hasDoubtful === true) return undefined;
    const smart = wish.smartCase === true && !fold && parsed?.hasLiteral === true && !parsed.hasUpper;
    const { regex } = (smart ? parseRegex(wish.pattern, true) : parsed) ?? {};
    return regex && { regex, fold: foldOf(regex) };
  }
  if (wish.pattern === '' || !isWellFormed(wish.pattern)) return undefined;
  if (wish.smartCase === true && hasDoubtful(wish.pattern)) return undefined;
  const smart = wish.smartCase === true && !/\p{Uppercase}/u.test(wish.pattern);
  return { regex: literalRegex(wish.pattern, fold || smart), fold: fold || smart ? 'all' : 'none' };
}

function foldOf(regex: Regex): PatternPlan['fold'] {
  const folds = [...partsOf(regex)].flatMap((part) =>
    part.kind === 'char' || part.kind === 'class' ? [part.fold] : [],
  );
  if (!folds.includes(true)) return 'none';
  return folds.includes(false) ? 'some' : 'all';
}
