/**
 * Finds the documents that fit a query of trigrams. Lists that would narrow little are not read. Invariant: whatever fits
 * is among them; undefined stands for all documents.
 */
import { intersect, type Marked, markedUnion, union } from './postings.ts';
import type { TrigramQuery } from './trigram-query.ts';

export interface PostingSource {
  /** Bytes of a list: what it costs to read. */
  size(key: number): number;
  read(key: number): Uint32Array;
}

/** Bytes of a list that are read in the time that looking into one candidate takes. */
const tooLong = 1_000;

export function candidatesOf(query: TrigramQuery, source: PostingSource): Uint32Array | undefined {
  if (query.kind === 'all') return undefined;
  if (query.kind === 'none') return new Uint32Array(0);
  return query.kind === 'or' ? someOf(query.parts, source) : everyOf(query.keys, query.parts, source);
}

/** As `candidatesOf` some of these, with the parts that each document fits. */
export function markedCandidatesOf(parts: readonly TrigramQuery[], source: PostingSource): Marked | undefined {
  const lists = listsOf(parts, source);
  return lists === undefined ? undefined : markedUnion(lists);
}

function someOf(parts: readonly TrigramQuery[], source: PostingSource): Uint32Array | undefined {
  return listsOf(parts, source)?.reduce(union, new Uint32Array(0));
}

/** Those of each part; undefined: one of them fits all documents. */
function listsOf(parts: readonly TrigramQuery[], source: PostingSource): Uint32Array[] | undefined {
  const lists: Uint32Array[] = [];
  for (const part of parts) {
    const list = candidatesOf(part, source);
    if (list === undefined) return undefined;
    lists.push(list);
  }
  return lists;
}

function everyOf(
  keys: readonly number[],
  parts: readonly TrigramQuery[],
  source: PostingSource,
): Uint32Array | undefined {
  const sized = keys.map((key) => ({ key, size: source.size(key) })).sort((a, b) => a.size - b.size);
  let left: Uint32Array | undefined;
  for (const { key, size } of sized) {
    if (left !== undefined && (left.length === 0 || size > tooLong * left.length)) break;
    const list = source.read(key);
    left = left === undefined ? list : intersect(left, list);
  }
  for (const part of parts) {
    if (left?.length === 0) break;
    const more = candidatesOf(part, source);
    if (more !== undefined) left = left === undefined ? more : intersect(left, more);
  }
  return left;
}
