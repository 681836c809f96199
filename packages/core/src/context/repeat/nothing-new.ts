/**
 * Counts reads, searches and recalls that bring no new line, per file and per archived body: however they alternate or
 * wrap round (P064, P066, P068). What brings a new line, and an edit of the file, starts the count again.
 */
import type { TranscriptItem } from '../../session/state.ts';
import type { VisibleResult } from '../visible.ts';
import type { Admission } from './facts.ts';

/** From this many times in a row on, the result says so. */
export const tellAfter = 3;

export interface NothingNew {
  /** What nothing new was brought of. */
  readonly of: string;
  readonly times: number;
}

/** `equal`: a result that shows the same is visible. Undefined: it brings something, or is not counted. */
export function countNothingNew(
  admission: Admission,
  known: boolean,
  equal: VisibleResult | undefined,
): NothingNew | undefined {
  const of = known ? admission.read?.path : subjectOf(admission, equal !== undefined);
  return of === undefined ? undefined : { of, times: timesBefore(admission.state.items, of) + 1 };
}

function subjectOf(admission: Admission, equal: boolean): string | undefined {
  const { name, read } = admission;
  if (name === 'search') return asksAgain(admission) || bringsNoHit(admission) ? searchSubject(admission) : undefined;
  if (!equal) return undefined;
  if (read !== undefined) return read.path;
  if (name === 'read') return argument(admission, 'path');
  return name === 'recall' ? `archive:${(argument(admission, 'id') ?? '').slice(0, 12)}` : undefined;
}

function timesBefore(items: readonly TranscriptItem[], of: string): number {
  const last = items.findLast(
    (item) => item.kind === 'toolResult' && (item.nothingNew?.of === of || item.touched?.includes(of)),
  );
  return last?.kind === 'toolResult' && last.nothingNew?.of === of ? last.nothingNew.times : 0;
}

/** The one file that was found in, else the body, else what was looked for. */
function searchSubject(admission: Admission): string {
  const hits = hitsOf(admission.shown);
  const [path, ...others] = new Set(hits.map((hit) => hit.path));
  if (path !== undefined && others.length === 0) return path;
  if (path !== undefined && admission.archiveId !== undefined) return `archive:${admission.archiveId.slice(0, 12)}`;
  return `a search for ${JSON.stringify(argument(admission, 'pattern') ?? '').slice(0, 80)}`;
}

/** The same call with the same answer, even if that is that nothing was found. */
function asksAgain({ visible, callId, inputJson, shown, archiveId }: Admission): boolean {
  return [...visible.values()].some((other) => {
    const same = other.shown === shown || (archiveId !== undefined && other.archiveId === archiveId);
    return other.callId !== callId && other.inputJson === inputJson && same && other.result === 'whole';
  });
}

/** All hits are among those that visible searches show. */
function bringsNoHit({ shown, visible, callId }: Admission): boolean {
  const hits = hitsOf(shown);
  if (hits.length === 0) return false;
  const seen = new Set<string>();
  for (const other of visible.values()) {
    if (other.name !== 'search' || other.callId === callId || other.result !== 'whole') continue;
    for (const hit of hitsOf(other.shown)) seen.add(hit.key);
  }
  return hits.every((hit) => seen.has(hit.key));
}

/** The matches of a shown search: a line with a path, then its matches by number. */
function hitsOf(shown: string): readonly { readonly path: string; readonly key: string }[] {
  let path = '';
  return shown.split('\n').flatMap((line) => {
    const match = /^(\d+): (.*)$/.exec(line);
    if (match !== null) return [{ path, key: `${path}\0${match[1]}\0${match[2]}` }];
    if (!/^\d+- |^--$|^\[/.test(line)) path = line;
    return [];
  });
}

function argument({ inputJson }: Admission, name: string): string | undefined {
  try {
    const value: unknown = (JSON.parse(inputJson) as Readonly<Record<string, unknown>>)[name];
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
