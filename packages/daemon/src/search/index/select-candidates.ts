/** Finds the files, and the blocks of them, in which a pattern may match. Invariant: none that matches is missing. */
import { candidatesOf, markedCandidatesOf } from '@zerd/core/search/candidates';
import type { PatternPlan } from '@zerd/core/search/plan-search';
import { union } from '@zerd/core/search/postings';
import type { PathKey } from './contract.ts';
import type { Journal } from './journal.ts';
import type { Loaded } from './loaded.ts';
import { byPath } from './path-key.ts';
import { fileFlags } from './rows.ts';
import type { Segment } from './segment.ts';

/** `blocks` undefined: all of the file's. No segment: it is read whole. */
export interface Candidate {
  readonly path: PathKey;
  readonly segment?: Segment;
  readonly file: number;
  readonly blocks: readonly number[] | undefined;
  /** For each block which texts of the matcher may be in it, as bits. Undefined: any. */
  readonly texts?: readonly number[] | undefined;
}

export interface Candidates {
  /** In path order. */
  readonly files: readonly Candidate[];
  /** Files that only ripgrep can judge, whatever is in them. */
  readonly foreign: readonly PathKey[];
  readonly bytes: number;
  /** Of all that is in scope and could be a candidate; undefined: no scope narrows the corpus. */
  readonly narrowed: boolean;
}

export type InScope = (path: PathKey) => boolean;

export function selectCandidates(
  loaded: Loaded,
  journal: Journal,
  plan: PatternPlan,
  inScope: InScope | undefined,
): Candidates {
  const found: Candidate[] = [];
  const foreign: PathKey[] = [];
  let bytes = 0;
  let narrowed = true;
  for (const segment of loaded.segments) {
    const docs = docsOf(segment, plan);
    if (docs === undefined) narrowed = false;
    const selected = filesOf(segment, docs, plan.multiline, inScope);
    for (const candidate of selected) bytes += bytesOf(candidate);
    found.push(...selected);
    foreign.push(...foreignOf(segment, inScope));
  }
  for (const path of journal.changed.keys()) {
    if (inScope === undefined || inScope(path)) found.push({ path, file: -1, blocks: undefined });
  }
  if (loaded.segments.length > 1 || journal.changed.size > 0) found.sort((a, b) => byPath(a.path, b.path));
  return { files: found, foreign, bytes, narrowed };
}

/** Blocks; files when a match may go over lines. */
interface Docs {
  readonly numbers: Uint32Array;
  /** Which texts of the matcher may be in each block. */
  readonly marks?: Uint16Array;
}

/** Undefined: all. */
function docsOf(segment: Segment, plan: PatternPlan): Docs | undefined {
  if (plan.byText === undefined) return asDocs(numbersOf(segment, plan));
  return markedCandidatesOf(plan.byText, { size: segment.listSize, read: segment.readList });
}

function asDocs(numbers: Uint32Array | undefined): Docs | undefined {
  return numbers === undefined ? undefined : { numbers };
}

function numbersOf(segment: Segment, { trigrams, fold, multiline }: PatternPlan): Uint32Array | undefined {
  const read = (key: number) => (multiline ? toFiles(segment, segment.readList(key)) : segment.readList(key));
  const docs = candidatesOf(trigrams, { size: segment.listSize, read });
  if (docs === undefined || fold !== 'some' || segment.specials.length === 0) return docs;
  return union(docs, multiline ? toFiles(segment, segment.specials) : segment.specials);
}

function toFiles(segment: Segment, blocks: Uint32Array): Uint32Array {
  const files: number[] = [];
  const fileOf = fileFinder(segment);
  for (const block of blocks) {
    const file = fileOf(block);
    if (file !== files.at(-1)) files.push(file);
  }
  return Uint32Array.from(files);
}

/** For ascending blocks: goes on from the last file while the next is near. */
function fileFinder(segment: Segment): (block: number) => number {
  let file = 0;
  return (block) => {
    for (let steps = 0; steps < 16; steps += 1, file += 1) {
      if ((segment.firstBlocks[file + 1] ?? Infinity) > block) return file;
    }
    file = segment.fileOfBlock(block);
    return file;
  };
}

function filesOf(
  segment: Segment,
  docs: Docs | undefined,
  multiline: boolean,
  inScope: InScope | undefined,
): Candidate[] {
  const found: Candidate[] = [];
  const add = (file: number, blocks?: readonly number[], texts?: readonly number[]) => {
    if (segment.dead[file] !== 0 || ((segment.files.flags[file] ?? 0) & (fileFlags.foreign | fileFlags.binary)) !== 0)
      return;
    const path = segment.path(file);
    if (inScope === undefined || inScope(path)) found.push({ path, segment, file, blocks, texts });
  };
  if (docs === undefined) for (const file of segment.order) add(file);
  else if (multiline) for (const file of docs.numbers) add(file);
  else groupByFile(segment, docs, add);
  if (docs !== undefined) sortByRank(segment, found);
  return found;
}

type Add = (file: number, blocks: readonly number[], texts?: readonly number[]) => void;

function groupByFile(segment: Segment, { numbers: docs, marks }: Docs, add: Add): void {
  const fileOf = fileFinder(segment);
  for (let at = 0; at < docs.length; ) {
    const file = fileOf(docs[at] ?? 0);
    const end = segment.firstBlocks[file + 1] ?? Infinity;
    const blocks: number[] = [];
    const texts: number[] | undefined = marks && [];
    for (; at < docs.length && (docs[at] ?? 0) < end; at += 1) {
      blocks.push(docs[at] ?? 0);
      texts?.push(marks?.[at] ?? 0);
    }
    add(file, blocks, texts);
  }
}

/** Merged segments have their files in another order than that of their paths. */
function sortByRank({ ranks }: Segment, found: Candidate[]): void {
  const rank = ({ file }: Candidate) => ranks[file] ?? 0;
  const isSorted = found.every((one, i) => i === 0 || rank(found[i - 1] ?? one) <= rank(one));
  if (!isSorted) found.sort((a, b) => rank(a) - rank(b));
}

function foreignOf(segment: Segment, inScope: InScope | undefined): PathKey[] {
  return segment.foreign
    .filter((file) => segment.dead[file] === 0)
    .map(segment.path)
    .filter((path) => inScope === undefined || inScope(path));
}

export function bytesOf({ segment, file, blocks }: Candidate): number {
  if (segment === undefined) return 0;
  if (blocks === undefined) return Math.max(0, segment.files.sizes[file] ?? 0);
  let bytes = 0;
  for (const block of blocks) bytes += segment.blocks.lengths[block] ?? 0;
  return bytes;
}
