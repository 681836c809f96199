/**
 * Decides what an edit changes: `old` must be there exactly once (or `all`), else nothing changes and the plan says
 * why. White space is never guessed. Invariant: text outside the edits stays as it is, line endings included.
 */
import { detectEol, type Eol, lineAt, toLf } from '../text/lines.ts';
import { withEndings } from './endings.ts';
import { lfView, matchesOf, overlap, type Span } from './match.ts';
import { nearestRegion, type Region } from './nearest.ts';

export interface EditWish {
  readonly old: string;
  readonly new: string;
  readonly all?: boolean | undefined;
}

/** `text.slice(start, end)` becomes `insert`. Ascending and apart from each other. */
export interface Edit extends Span {
  readonly insert: string;
}

export type EditPlan =
  | { readonly kind: 'planned'; readonly edits: readonly Edit[]; readonly matches: readonly Span[] }
  | EditRefusal;

export type EditRefusal =
  | { readonly kind: 'same' }
  | { readonly kind: 'notFound'; readonly nearest?: Region }
  /** `lines` are the first ten lines where a match begins. */
  | { readonly kind: 'ambiguous'; readonly count: number; readonly lines: readonly number[] }
  | { readonly kind: 'overlapping'; readonly count: number; readonly lines: readonly number[] }
  | { readonly kind: 'tooMany'; readonly count: number };

export const maxMatches = 100_000;

/** `text` is the file as it is, decoded; `old` and `new` may hold LF or CRLF. Pure: planning changes nothing. */
export function planEdit(text: string, wish: EditWish): EditPlan {
  const endingsOnly = toLf(wish.old) === toLf(wish.new);
  const { matches, next } = endingsOnly ? asGiven(text, wish) : findMatches(text, wish);
  const refusal = refuse(text, wish, matches);
  if (refusal) return refusal;
  if (endingsOnly) return { kind: 'planned', edits: matches.map((match) => ({ ...match, insert: next })), matches };
  const majority = detectEol(text).majority ?? detectEol(wish.new).majority ?? '\n';
  return { kind: 'planned', edits: matches.map((match) => narrowEdit(text, match, next, majority)), matches };
}

export function applyEdits(text: string, edits: readonly Edit[]): string {
  let from = 0;
  const parts: string[] = [];
  for (const edit of edits) {
    parts.push(text.slice(from, edit.start), edit.insert);
    from = edit.end;
  }
  return parts.join('') + text.slice(from);
}

interface Found {
  readonly matches: readonly Span[];
  /** What takes the place of a match. */
  readonly next: string;
}

/**
 * Who writes CRLF into `old` and finds it means these bytes; else LF and CRLF are alike. Last, `old` may be a text that
 * was shown with LF and holds a return that is data before it (a file with CR CR LF).
 */
function findMatches(text: string, wish: EditWish): Found {
  const next = toLf(wish.new);
  if (!wish.old.includes('\r\n')) return { matches: matchesInLf(text, wish.old), next };
  const exact = asGiven(text, wish).matches;
  if (exact.length > 0) return { matches: exact, next };
  const alike = matchesInLf(text, toLf(wish.old));
  return alike.length > 0 ? { matches: alike, next } : { matches: matchesInLf(text, wish.old), next: wish.new };
}

function asGiven(text: string, wish: EditWish): Found {
  return { matches: matchesOf(text, wish.old, maxMatches), next: wish.new };
}

function matchesInLf(text: string, part: string): Span[] {
  const view = lfView(text);
  const found = matchesOf(view.text, part, maxMatches);
  return found.map(({ start, end }) => ({ start: view.original(start), end: view.original(end) }));
}

function refuse(text: string, wish: EditWish, matches: readonly Span[]): EditRefusal | undefined {
  const count = matches.length;
  if (wish.old === wish.new) return { kind: 'same' };
  if (count === 0) return toLf(wish.old) === toLf(wish.new) ? { kind: 'same' } : notFound(text, wish.old);
  if (count === 1) return undefined;
  const lines = matches.slice(0, 10).map((match) => lineAt(text, match.start));
  if (!wish.all) return { kind: 'ambiguous', count, lines };
  if (count >= maxMatches) return { kind: 'tooMany', count };
  return overlap(matches) ? { kind: 'overlapping', count, lines } : undefined;
}

function notFound(text: string, old: string): EditRefusal {
  const nearest = nearestRegion(text, old);
  return { kind: 'notFound', ...(nearest && { nearest }) };
}

/** Leaves out what `old` and `new` have in common at both ends, so that lines that stay keep their own endings. */
function narrowEdit(text: string, match: Span, next: string, majority: Eol): Edit {
  const replaced = text.slice(match.start, match.end);
  const view = lfView(replaced);
  const head = commonHead(view.text, next);
  const tail = commonTail(view.text.slice(head), next.slice(head));
  const start = view.original(head);
  const end = view.original(view.text.length - tail);
  const insert = withEndings(replaced.slice(start, end), next.slice(head, next.length - tail), majority);
  return { start: match.start + start, end: match.start + end, insert };
}

function commonHead(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let same = 0;
  while (same < most && a.charCodeAt(same) === b.charCodeAt(same)) same += 1;
  return same;
}

function commonTail(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let same = 0;
  while (same < most && a.charCodeAt(a.length - 1 - same) === b.charCodeAt(b.length - 1 - same)) same += 1;
  return same;
}
