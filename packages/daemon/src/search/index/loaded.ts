/** The segments of an index in memory, and which of their files still stand. Invariant: each path stands at most once. */
import { join } from 'node:path';
import type { FileTable, IndexedFile, PathKey } from './contract.ts';
import type { Journal } from './journal.ts';
import type { Manifest } from './manifest.ts';
import { byPath } from './path-key.ts';
import { openSegment, type Segment } from './segment.ts';

/** A file that is gone or superseded, and one that is read anew by each query. */
export const deadMarks = { gone: 1, changed: 2 } as const;

export interface Loaded {
  /** Older ones first. */
  readonly segments: readonly Segment[];
  /** Marks the files that a change speaks of. */
  mark(paths: readonly PathKey[], mark: 1 | 2): void;
  find(path: PathKey): { readonly segment: Segment; readonly file: number } | undefined;
  memoryBytes(): number;
  close(): void;
}

/** Throws when a segment is not what the manifest says. */
export function loadSegments(folder: string, manifest: Manifest, journal: Journal): Loaded {
  const segments: Segment[] = [];
  try {
    for (const { name, headerCrc } of manifest.segments) {
      const segment = openSegment(join(folder, name));
      segments.push(segment);
      check(segment, headerCrc, manifest);
    }
  } catch (error) {
    for (const segment of segments) segment.close();
    throw error;
  }
  for (const [n, segment] of segments.entries()) supersede(segments.slice(0, n), segment);
  const loaded = loadedOf(segments);
  loaded.mark([...journal.changed.keys()], deadMarks.changed);
  loaded.mark([...journal.removed.keys()], deadMarks.gone);
  return loaded;
}

function check(segment: Segment, headerCrc: number, { root, ripgrep }: Manifest): void {
  const { header } = segment;
  if (segment.headerCrc !== headerCrc) throw new Error('a segment is not the one that the manifest names');
  if (header.root !== root || header.ripgrep !== ripgrep) throw new Error('a segment is of another tree');
}

function supersede(older: readonly Segment[], newer: Segment): void {
  if (older.length === 0) return;
  const paths = [...newer.removed, ...Array.from({ length: newer.fileCount }, (_, n) => newer.path(n))];
  markIn(older, paths, deadMarks.gone);
}

function markIn(segments: readonly Segment[], paths: readonly PathKey[], mark: 1 | 2): void {
  for (const segment of segments) {
    // A table of all files costs as much as looking for every eighth of them.
    const find = paths.length > segment.fileCount / 8 ? finderOf(segment) : segment.find;
    for (const path of paths) {
      const file = find(path);
      if (file !== undefined && segment.dead[file] !== deadMarks.gone) segment.dead[file] = mark;
    }
  }
}

/** For many paths at once. */
function finderOf(segment: Segment): (path: PathKey) => number | undefined {
  const files = new Map(Array.from({ length: segment.fileCount }, (_, n) => [segment.path(n), n]));
  return (path) => files.get(path);
}

function loadedOf(segments: readonly Segment[]): Loaded {
  return {
    segments,
    mark: (paths, mark) => markIn(segments, paths, mark),
    find(path) {
      for (const segment of [...segments].reverse()) {
        const file = segment.find(path);
        if (file !== undefined && segment.dead[file] !== deadMarks.gone) return { segment, file };
      }
      return undefined;
    },
    memoryBytes: () => segments.reduce((sum, segment) => sum + segment.memoryBytes(), 0),
    close() {
      for (const segment of segments) segment.close();
    },
  };
}

/** As of now: it does not follow later changes. */
export function fileTable({ segments, find }: Loaded, journal: Journal): FileTable {
  const rows = segments.flatMap((segment) =>
    Array.from(segment.order).flatMap((file) => (segment.dead[file] === deadMarks.gone ? [] : [{ segment, file }])),
  );
  if (segments.length > 1) rows.sort((a, b) => byPath(a.segment.path(a.file), b.segment.path(b.file)));
  return {
    count: rows.length,
    at(n): IndexedFile {
      const row = rows[n];
      if (row === undefined) throw new RangeError(`no file ${n}`);
      return row.segment.fileAt(row.file);
    },
    get(path) {
      const found = find(path);
      return found?.segment.fileAt(found.file);
    },
    *paths() {
      const fresh = [...journal.changed.keys()].filter((path) => find(path) === undefined).sort(byPath);
      let next = 0;
      for (const { segment, file } of rows) {
        const path = segment.path(file);
        for (; next < fresh.length && byPath(fresh[next] ?? '', path) < 0; next += 1) yield fresh[next] ?? '';
        yield path;
      }
      yield* fresh.slice(next);
    },
  };
}
