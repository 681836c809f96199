/**
 * Decides what of a search's matches the model sees: all of them by file, their lines clipped around the match; or,
 * when they are too many, true totals, counts by folder and file, and one match each of some files.
 * Invariant: at most `cap` bytes.
 */
import { oneLinePath } from '../../text/one-line-path.ts';
import { clipUtf8, utf8Length } from '../../text/utf8.ts';
import type { Shown } from './admit-text.ts';
import { clipAround } from './clip-line.ts';
import { counted } from './format-count.ts';

export interface Hit {
  /** Relative to the workspace, with forward slashes. */
  readonly path: string;
  readonly line: number;
  readonly text: string;
  /** UTF-16 offset of the first match in `text`; absent on context lines. */
  readonly column?: number;
  /** Bytes of the line that are missing before and after `text`. */
  readonly cutBefore?: number;
  readonly cutAfter?: number;
}

export interface HitsBody {
  readonly hits: readonly Hit[];
  /** Counted over everything, also what `hits` leaves out. */
  readonly totalMatches: number;
  readonly totalFiles: number;
  /** Matches by file, as far as they were counted. */
  readonly files: readonly { readonly path: string; readonly count: number }[];
  /** Hidden and ignored files were left aside. */
  readonly partial?: boolean;
  /** Why the answer is not whole; absent: it is. */
  readonly incomplete?: string;
}

export interface HitRules {
  readonly cap: number;
  readonly lineCap: number;
  readonly archiveId: string | undefined;
}

/** Before matches are left out, their lines are clipped to this. */
const tightLine = 160;

export function admitHits(found: HitsBody, rules: HitRules): Shown {
  const body = withOneLinePaths(found);
  const collected = body.hits.filter((hit) => hit.column !== undefined).length;
  if (collected === body.totalMatches) {
    for (const lineCap of [rules.lineCap, Math.min(tightLine, rules.lineCap)]) {
      const shown = [...byFile(body.hits, lineCap), ...incompleteNote(body)].join('\n');
      const clipped = body.hits.some((hit) => isClipped(hit, lineCap));
      const note = clipped ? clippedNote(rules) : '';
      if (utf8Length(shown + note) <= rules.cap)
        return { shown: shown + note, whole: !clipped && body.incomplete === undefined };
    }
  }
  return { shown: collapse(body, rules), whole: false };
}

/** Every collected hit as `path:line:text`, for the archive. */
export function hitsText(found: HitsBody): string {
  const body = withOneLinePaths(found);
  const lines = body.hits.map(
    (hit) => `${hit.path}:${hit.line}${hit.column === undefined ? '-' : ':'}${lineOf(hit, Number.POSITIVE_INFINITY)}`,
  );
  const files = body.files.map((file) => `${file.count} ${file.path}`);
  return [...lines, '', totalsLine(body), ...files, ...incompleteNote(body)].join('\n');
}

function withOneLinePaths(body: HitsBody): HitsBody {
  const named = <T extends { readonly path: string }>(one: T): T => ({ ...one, path: oneLinePath(one.path) });
  return { ...body, hits: body.hits.map(named), files: body.files.map(named) };
}

function byFile(hits: readonly Hit[], lineCap: number): string[] {
  const out: string[] = [];
  let before: Hit | undefined;
  for (const hit of hits) {
    if (hit.path !== before?.path) out.push(hit.path);
    else if (hit.line > before.line + 1 && (hit.column === undefined || before.column === undefined)) out.push('--');
    out.push(`${hit.line}${hit.column === undefined ? '-' : ':'} ${lineOf(hit, lineCap)}`);
    before = hit;
  }
  return out;
}

function lineOf(hit: Hit, lineCap: number): string {
  return clipAround(windowOf(hit), lineCap);
}

function windowOf(hit: Hit) {
  return { text: hit.text, column: hit.column ?? 0, cutBefore: hit.cutBefore ?? 0, cutAfter: hit.cutAfter ?? 0 };
}

function isClipped(hit: Hit, lineCap: number): boolean {
  return lineOf(hit, lineCap) !== hit.text;
}

function clippedNote(rules: HitRules): string {
  return rules.archiveId === undefined
    ? ''
    : `\n[long lines clipped; more of them: recall {"id":"${rules.archiveId}"}]`;
}

function incompleteNote(body: HitsBody): string[] {
  return body.incomplete === undefined ? [] : [`[incomplete: ${clipUtf8(body.incomplete, 300)}]`];
}

function totalsLine(body: HitsBody): string {
  return `${counted(body.totalMatches, 'match', 'matches')} in ${counted(body.totalFiles, 'file')}`;
}

function collapse(body: HitsBody, rules: HitRules): string {
  const archived = rules.archiveId === undefined ? '' : ` or recall {"id":"${rules.archiveId}","pattern":...}`;
  const aside = body.partial === true ? ' Hidden and ignored files were not searched.' : '';
  const advice = `${totalsLine(body)}: too many to show. Narrow by path, glob or pattern${archived}.${aside}`;
  const fixed = [advice, ...incompleteNote(body)];
  const room = rules.cap - utf8Length(fixed.join('\n')) - 60;
  const counts = [
    ...section('By folder:', folderCounts(body), room * 0.15),
    ...section('By file:', fileCounts(body), room * 0.3),
  ];
  const rest = room - utf8Length(counts.join('\n'));
  return [...fixed, ...counts, ...samples(body, rest, Math.min(tightLine, rules.lineCap))].join('\n');
}

/** As many as fit; the others are counted. */
function section(title: string, counts: readonly Count[], room: number): string[] {
  const parts: string[] = [];
  let left = room - title.length - 20;
  for (const { path, count } of counts) {
    const part = ` ${path} ${count}`;
    left -= utf8Length(part) + 1;
    if (left < 0) break;
    parts.push(part);
  }
  if (parts.length === 0) return [];
  const others = counts.length - parts.length;
  return [`${title}${parts.join(',')}${others > 0 ? `, ${others} more` : ''}`];
}

interface Count {
  readonly path: string;
  readonly count: number;
}

function fileCounts(body: HitsBody): Count[] {
  return body.files.toSorted(byCount);
}

function folderCounts(body: HitsBody): Count[] {
  const folders = new Map<string, number>();
  for (const { path, count } of body.files) {
    const folder = folderOf(path);
    folders.set(folder, (folders.get(folder) ?? 0) + count);
  }
  return [...folders].map(([path, count]) => ({ path, count })).toSorted(byCount);
}

function byCount(a: Count, b: Count): number {
  return b.count - a.count || (a.path < b.path ? -1 : 1);
}

/** Two levels deep: `packages/core/src/a.ts` counts for `packages/core/`. */
function folderOf(path: string): string {
  const parts = path.split('/').slice(0, -1);
  return parts.length === 0 ? './' : `${parts.slice(0, 2).join('/')}/`;
}

/** The first match of each file in path order, then the second ones, as long as they fit. */
function samples(body: HitsBody, room: number, lineCap: number): string[] {
  const chosen = new Set<Hit>();
  let left = room - 12;
  for (const hit of byTurns(body.hits)) {
    left -= utf8Length(hit.path) + utf8Length(lineOf(hit, lineCap)) + 12;
    if (left < 0) break;
    chosen.add(hit);
  }
  const kept = body.hits.filter((hit) => chosen.has(hit));
  return kept.length === 0 ? [] : ['Samples:', ...byFile(kept, lineCap)];
}

function byTurns(hits: readonly Hit[]): Hit[] {
  const turns: Hit[][] = [];
  const seen = new Map<string, number>();
  for (const hit of hits) {
    if (hit.column === undefined) continue;
    const turn = seen.get(hit.path) ?? 0;
    seen.set(hit.path, turn + 1);
    turns[turn] ??= [];
    turns[turn].push(hit);
  }
  return turns.flat();
}
