/**
 * What the transcript shows of a file, as the log tells it: the lines of its newest content that was read or left by an
 * edit, and those of the newest content that a result showed. Invariant: a file that was written in any other way is no
 * longer known, so that nothing points at an old copy of it.
 */
import type { HandedFiles, SeenFile, SessionEvent, ShownLines } from '@zerd/protocol/common/event';
import type { CallId } from '@zerd/protocol/common/ids';
import { handedCall } from './handed-call.ts';

type Finished = Extract<SessionEvent, { kind: 'toolCall.finished' }>;

/** Lines in a row, from 1, and the calls that show them together. */
export interface KnownRange {
  readonly firstLine: number;
  readonly lastLine: number;
  readonly by: readonly CallId[];
  /** Around these lines the calls show a content that another replaced untold: no diff may start from it. */
  readonly overtaken?: boolean | undefined;
}

export interface KnownCopy {
  readonly hash: string;
  /** Of the whole content. */
  readonly lines: number;
  readonly ranges: readonly KnownRange[];
}

export interface KnownFile {
  /** As it was read or left by an edit; undefined: not known any more. */
  readonly now: KnownCopy | undefined;
  /** As a result showed it last: the copy to compare with when `now` is no longer visible. */
  readonly read: KnownCopy | undefined;
}

const unknownFile: KnownFile = { now: undefined, read: undefined };

/** The entries that a result changes. */
export function knownAfter(
  known: ReadonlyMap<string, KnownFile>,
  { callId, files = [], reads = [] }: Finished,
): readonly (readonly [string, KnownFile])[] {
  const written = new Set(files.filter(({ how }) => how === 'written').map(({ path }) => path));
  const copies = copiesOf(reads, callId);
  const forgotten = [...written].filter((path) => !copies.has(path)).map((path) => [path, unknownFile] as const);
  const kept = [...copies].map(([path, now]) => {
    const read = written.has(path) ? known.get(path)?.read : now;
    return [path, { now, read }] as const;
  });
  return [...forgotten, ...kept];
}

/** What a message hands over counts as read. */
export function knownFromMessage(handed: HandedFiles | undefined): readonly (readonly [string, KnownFile])[] {
  const copies = copiesOf(handed?.reads ?? [], handedCall);
  return [...copies].map(([path, copy]) => [path, { now: copy, read: copy }] as const);
}

export function seenInMessage(handed: HandedFiles | undefined): readonly (readonly [string, SeenFile])[] {
  return (handed?.reads ?? []).map(({ path, hash }) => [path, { path, hash, how: 'read' }] as const);
}

function copiesOf(reads: readonly ShownLines[], callId: CallId): ReadonlyMap<string, KnownCopy> {
  const copies = new Map<string, KnownCopy>();
  for (const { path, hash, lines, by = [callId], ...range } of reads) {
    const before = copies.get(path)?.ranges ?? [];
    copies.set(path, { hash, lines, ranges: [...before, { ...range, by }] });
  }
  return copies;
}
