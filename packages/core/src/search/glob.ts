/**
 * Decides whether a path fits a glob: `*`, `?`, `[a-z]`, `{a,b}`, `**`, and a leading `!` for "not". Invariant: the work
 * is bounded by glob times path, whatever they are; no regular expression is built from either.
 */
import { globFault, globPieces } from './glob-fault.ts';

export interface Glob {
  /** `path` has forward slashes and no leading one. */
  readonly matches: (path: string) => boolean;
  /** The folders that every match begins with, as they stand: 'src/core' of `src/core/*.ts`; '' when there are none. */
  readonly folder: string;
  /** A glob on file names that every match also fits; undefined: none is known. */
  readonly name: string | undefined;
  /** What is wrong with it, for people: what it matches then is a guess. */
  readonly fault?: string;
}

const maxAlternatives = 200;
/** Characters: no system takes longer paths. */
const longestPath = 4_096;
/** Characters that are looked at or copied to expand braces. */
const mostWork = 4_000_000;

export function hasGlobSyntax(pattern: string): boolean {
  return /[*?[{]/.test(pattern);
}

/** Whether a pattern is to be taken as a glob; brackets and braces that do not close are characters of a name. */
export function isGlob(pattern: string): boolean {
  return hasGlobSyntax(pattern) && globFault(pattern) === undefined;
}

/**
 * Without a slash a glob means names in any folder. With one it may begin at any folder, unless a leading slash says:
 * at the root.
 */
export function parseGlob(glob: string): Glob {
  const negated = glob.startsWith('!');
  const positive = negated ? glob.slice(1) : glob;
  const anchored = positive.startsWith('/');
  const body = positive.replace(/^\.?\/+/, '').replace(/\/$/, '/**');
  const { found, isWhole } = expandBraces(body);
  const alternatives = found.map((one) => segmentsOf(one, anchored));
  const fault = globFault(positive) ?? (isWhole ? undefined : `it stands for more than ${maxAlternatives} names`);
  return {
    ...(fault === undefined ? {} : { fault }),
    matches: (path) => alternatives.some((segments) => fitsPath(segments, path.split('/'))) !== negated,
    folder: negated ? '' : leadingFolder(body),
    name: negated ? undefined : plainName(body),
  };
}

/** What one name of a path has to fit; 'any': any number of folders. */
type Segment = 'any' | readonly Token[];

function segmentsOf(glob: string, anchored: boolean): readonly Segment[] {
  // Paths are those of files: a folder itself does not fit what asks for something below it.
  const names = glob.replace(/\/\*\*$/, '/**/*').split('/');
  const segments = names.map((name): Segment => (name === '**' ? 'any' : tokensOf(name)));
  return anchored || segments[0] === 'any' ? segments : ['any', ...segments];
}

function leadingFolder(body: string): string {
  const segments = body.split('/').slice(0, -1);
  const end = segments.findIndex(hasGlobSyntax);
  return (end < 0 ? segments : segments.slice(0, end)).join('/');
}

function plainName(body: string): string | undefined {
  const name = body.slice(body.lastIndexOf('/') + 1);
  const braces = /[{}]/.test(body.slice(0, body.length - name.length));
  return !braces && name !== '**' && /^(?:[\w.*?+@-]|\{[\w.*?+@,-]*\})+$/.test(name) ? name : undefined;
}

/** In order. What would be too many, too long for a path or too much work is left out. */
function expandBraces(glob: string): { readonly found: readonly string[]; readonly isWhole: boolean } {
  const found: string[] = [];
  const ahead = [glob];
  let [work, isWhole] = [0, true];
  for (let one = ahead.pop(); one !== undefined; one = ahead.pop()) {
    if (found.length >= maxAlternatives || work > mostWork) return { found, isWhole: false };
    const group = one.includes('{') ? firstGroup(one) : undefined;
    if (group === undefined) {
      if (one.length <= longestPath) found.push(one);
      continue;
    }
    const { before, parts, after } = group;
    work += (parts.length + 1) * one.length;
    isWhole &&= parts.length <= maxAlternatives;
    const some = parts.slice(0, maxAlternatives).reverse();
    if (work <= mostWork) ahead.push(...some.map((part) => before + part + after));
  }
  return { found, isWhole: isWhole && work <= mostWork };
}

interface Group {
  readonly before: string;
  readonly parts: readonly string[];
  readonly after: string;
}

/** The first group that closes; commas within groups, classes and behind a backslash divide nothing. */
function firstGroup(glob: string): Group | undefined {
  const pieces = globPieces(glob);
  const open = pieces.indexOf('{');
  if (open < 0) return undefined;
  const parts: string[] = [''];
  let depth = 0;
  for (let i = open; i < pieces.length; i += 1) {
    const piece = pieces[i] ?? '';
    depth += piece === '{' ? 1 : piece === '}' ? -1 : 0;
    if (depth === 0) return { before: pieces.slice(0, open).join(''), parts, after: pieces.slice(i + 1).join('') };
    if (piece === ',' && depth === 1) parts.push('');
    else if (i > open) parts[parts.length - 1] += piece;
  }
  return undefined;
}

/** Greedy with one point of return, as for `*` in a name: a later `**` makes an earlier one's choice irrelevant. */
function fitsPath(glob: readonly Segment[], path: readonly string[]): boolean {
  return wildMatch(
    glob.length,
    path.length,
    (g) => glob[g] === 'any',
    (g, p) => fitsName(glob[g] ?? [], path[p] ?? ''),
  );
}

function fitsName(parts: Segment, name: string): boolean {
  if (parts === 'any') return true;
  const chars = [...name];
  return wildMatch(
    parts.length,
    chars.length,
    (g) => parts[g]?.kind === 'star',
    (g, p) => fitsChar(parts[g], chars[p] ?? ''),
  );
}

function wildMatch(
  globLength: number,
  length: number,
  isStar: (g: number) => boolean,
  fits: (g: number, p: number) => boolean,
): boolean {
  let [g, p, star, resume] = [0, 0, -1, 0];
  while (p < length) {
    if (g < globLength && isStar(g)) {
      star = g;
      resume = p;
      g += 1;
    } else if (g < globLength && fits(g, p)) {
      g += 1;
      p += 1;
    } else if (star >= 0) {
      resume += 1;
      p = resume;
      g = star + 1;
    } else return false;
  }
  while (g < globLength && isStar(g)) g += 1;
  return g === globLength;
}

type Token =
  | { readonly kind: 'star' }
  | { readonly kind: 'any' }
  | { readonly kind: 'char'; readonly char: string }
  | { readonly kind: 'class'; readonly negated: boolean; readonly ranges: readonly (readonly [string, string])[] };

const tokenPattern = /\\([\s\S])|\*+|\?|\[([!^]?)(\]?[^\]]*)\]|([\s\S])/gu;

function tokensOf(glob: string): Token[] {
  return [...glob.matchAll(tokenPattern)].map(([part, escaped, negation, members]): Token => {
    if (escaped !== undefined) return { kind: 'char', char: escaped };
    if (part.startsWith('*')) return { kind: 'star' };
    if (part === '?') return { kind: 'any' };
    if (members !== undefined) return { kind: 'class', negated: negation !== '', ranges: rangesOf(members) };
    return { kind: 'char', char: part };
  });
}

function rangesOf(members: string): [string, string][] {
  return [...members.matchAll(/([\s\S])-([\s\S])|([\s\S])/gu)].map(([part, from, to]) => [from ?? part, to ?? part]);
}

function fitsChar(token: Token | undefined, char: string): boolean {
  if (token === undefined || token.kind === 'star') return false;
  if (token.kind === 'any') return true;
  if (token.kind === 'char') return token.char === char;
  return token.ranges.some(([from, to]) => char >= from && char <= to) !== token.negated;
}
