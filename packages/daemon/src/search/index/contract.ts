/**
 * What the trigram index offers to the rest of the search room. It knows the files as they were when they were read, and
 * what it is told of changes; who watches the tree tells it. Invariant: an answer never leaves out a match because of a
 * file it was told about, and what it cannot answer as ripgrep would it hands back.
 */
import type { Clock } from '@zerd/protocol/node/clock';
import type { Log } from '../../base/log.ts';
import type { SearchAnswer, SearchQuery } from '../../base/ports.ts';
import type { HitLimits } from '../collect-hits.ts';

/**
 * A path relative to the root with forward slashes. A name that is no UTF-8 is '\0' and its bytes as latin1: `path-key.ts`
 * takes both ways.
 */
export type PathKey = string;

/** `changedMs` has its fraction: equal nanoseconds give equal numbers. */
export interface FileStamp {
  readonly size: number;
  /** When its content, name or rights changed last (ctime): also where a write has put the old mtime back. */
  readonly changedMs: number;
  readonly ino: number;
}

export interface IndexedFile extends FileStamp {
  readonly path: PathKey;
  /** Written so shortly before it was read that a later write may carry the same time: it counts as changed. */
  readonly racy: boolean;
}

/** The files of all segments, without those that were removed, in path order. Read-only and cheap to hold. */
export interface FileTable {
  readonly count: number;
  at(n: number): IndexedFile;
  /** Undefined: not indexed. Files that `note` named as changed are found with the stamp of their old content. */
  get(path: PathKey): IndexedFile | undefined;
  /** All paths in order; new ones that were noted included. */
  paths(): Iterable<PathKey>;
}

/** `changed`: new files and those with new content that ripgrep would search; `removed`: gone, or ignored by now. */
export interface IndexChange {
  readonly changed: readonly PathKey[];
  readonly removed: readonly PathKey[];
}

export interface IndexProgress {
  readonly files: number;
  readonly totalFiles: number;
  readonly bytes: number;
  readonly totalBytes: number;
}

/**
 * none: nothing is built yet; small: the tree is so small that scanning it is as quick; building: the first build runs;
 * ready: queries are answered (also while a rebuild runs beside: `progress`); refused: the root is not to be indexed.
 */
export type IndexState = 'none' | 'small' | 'building' | 'ready' | 'refused';

export interface IndexStatus {
  readonly state: IndexState;
  /** Indexed files; corpusBytes are their sizes. */
  readonly files: number;
  readonly corpusBytes: number;
  readonly blocks: number;
  /** On disk. */
  readonly indexBytes: number;
  readonly segments: number;
  /**
   * Files that are read anew by each query because they changed since they were indexed; all of them after more was noted
   * than is kept, and then no query is answered until `rebuild`.
   */
  readonly changed: number;
  readonly removed: number;
  /** Held in memory now. */
  readonly memoryBytes: number;
  readonly builtAt?: number;
  readonly buildMs?: number;
  readonly loadMs?: number;
  /** Why it was built the last time, or why there is none. */
  readonly why?: string;
  /** The last build came to nothing. */
  readonly failed?: { readonly at: number; readonly why: string };
  readonly progress?: IndexProgress;
}

/** How a query was answered. */
export type Route = 'verify' | 'ripgrep-candidates' | 'ordered-scan' | 'ripgrep-tree';

export interface IndexAnswer {
  readonly answer: SearchAnswer;
  readonly route: Route;
  readonly candidateFiles: number;
  readonly candidateBytes: number;
}

/** Folder-wise scope is that of `SearchQuery.path`. */
export interface SearchIndex {
  status(): IndexStatus;
  /** Called after each change of `status().state` and at most a few times a second while building. */
  onStatus(listener: (status: IndexStatus) => void): Disposable;
  /** Undefined: nothing is ready. Loads the tables when they were released. */
  files(): FileTable | undefined;
  /**
   * Counts from the next query on; nothing is awaited. A changed file is read whole by each query from then on (so keep
   * their number below `changedLimit` and call `persist`). While a build runs, what is noted counts for its result too.
   */
  note(change: IndexChange): void;
  /** Writes what was noted as a segment of its own and as tombstones. Merges when small segments got many. */
  persist(): Promise<void>;
  /** Makes one segment of all. */
  merge(): Promise<void>;
  /**
   * Lists the tree by ripgrep and builds anew; the old index answers until the new one is on disk. One at a time: a
   * second call joins the running build. Resolves also for 'small' and 'refused'.
   */
  rebuild(why: string): Promise<void>;
  /** Undefined: the index has no say in it (not ready, a path that is not indexed, ...): scan. */
  query(query: SearchQuery, signal: AbortSignal): Promise<IndexAnswer | undefined>;
  /** Gives memory and workers back; the next query takes them again. Called by itself after `idleMs`. */
  release(): void;
  close(): Promise<void>;
}

export interface OpenIndexOptions {
  /** The index's own folder in the state folder; made when missing. */
  readonly folder: string;
  /** A real path. */
  readonly root: string;
  readonly clock?: Clock;
  /** For `idleMs`; absent: `clock`. */
  readonly idleClock?: Clock;
  readonly log?: Log;
  readonly limits?: HitLimits;
  /** For a whole query, after which it is given as it stands, marked incomplete. */
  readonly timeoutMs?: number;
  /** Below both, a tree is not indexed. */
  readonly smallFiles?: number;
  readonly smallBytes?: number;
  readonly idleMs?: number;
  readonly workers?: number;
  /** False: work is done in the caller's thread. For tests. */
  readonly threads?: boolean;
  /** Also `/` and the home folder. */
  readonly anyRoot?: boolean;
  /** Bytes of a block, pairs of a spill. */
  readonly blockBytes?: number;
  readonly spillPairs?: number;
  /** Candidates of more bytes are left to ripgrep; absent: where it needs less time for the tree. For tests. */
  readonly largeBytes?: number;
}

/** Loads what is on disk. Builds nothing by itself; whatever does not fit (version, checksum, root) is as if absent. */
export type OpenIndex = (options: OpenIndexOptions) => Promise<SearchIndex>;

export const changedLimit = 500;

/** Who watches the tree. `indexed-search.ts` asks it before each query. */
export interface Freshness {
  /**
   * Until all that happened on disk before the call has been noted, but no longer than its own deadline. `synced`: the
   * index then stands for the tree as of now. `scan`: it does not, and the tree must be scanned (start-up, overflow).
   */
  settle(signal: AbortSignal): Promise<{ readonly synced: boolean; readonly scan?: boolean }>;
  close(): Promise<void>;
}
