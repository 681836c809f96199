/**
 * The ports between the rooms of the daemon. Services (store, tools, search, permissions) see each other only through
 * these; the runner and the server put them together. Invariant: nothing here holds state or imports a room.
 */
import type { Caps } from '@zerd/core/context/admit/caps';
import type { McpServer } from '@zerd/core/mcp/server';
import type { ToolInput, ToolName } from '@zerd/core/tools/declarations';
import type { LoggedEvent, SeenFile, SessionEvent } from '@zerd/protocol/common/event';
import type { ArchiveId, JobId, SessionId } from '@zerd/protocol/common/ids';
import type { Image } from '@zerd/protocol/common/image';
import type { SessionRow, Totals } from '@zerd/protocol/common/methods';
import type { IndexReport } from '@zerd/protocol/common/search';
import type { Clock } from '@zerd/protocol/node/clock';
import type { CallCommands, CommandOutput } from './job-ports.ts';
import type { McpAnswer, McpCall } from './mcp-ports.ts';
import type { FoundSkill, MemoryPort, NotesFiles } from './memory-ports.ts';

/** The archive of full bodies by content hash. */
export interface Archive {
  /** Durable when the promise settles. */
  put(body: string | Uint8Array): Promise<ArchiveId>;
  /** Takes a finished spool file over (moves it). */
  adopt(file: string): Promise<ArchiveId>;
  /** The path of the stored body; undefined: unknown id. Ids may be given by any unique prefix of 12 digits or more. */
  locate(id: string): Promise<{ readonly id: ArchiveId; readonly file: string; readonly bytes: number } | undefined>;
  /** The id that `body` has or would have. Writes nothing. */
  idOf(body: string | Uint8Array): ArchiveId;
  /** A fresh private file path on the archive's own file system, for output that is still being written. */
  spoolPath(): string;
}

/** What compactions replaced, as people read it. */
export interface Transcripts {
  /** Durable when the promise settles; events that are there already are not written again. Rejects with store_failed. */
  append(sessionId: SessionId, events: readonly LoggedEvent[]): Promise<void>;
}

/** Folds of long sessions, kept beside the log; `build` names the program that made them. */
export interface FoldShelf {
  find(sessionId: SessionId, build: string): { readonly seq: number; readonly state: Uint8Array } | undefined;
  /** In the place of an older one. Throws disk_full or store_failed: nothing is lost by it. */
  keep(sessionId: SessionId, build: string, fold: { readonly seq: number; readonly state: Uint8Array }): void;
}

/** The store of one repository. Everything is acknowledged after its commit. */
export interface Store {
  /** Names this database; changes when a new one takes its place. */
  readonly epoch: string;
  readonly archive: Archive;
  readonly transcripts: Transcripts;
  readonly notesFiles: NotesFiles;
  readonly folds: FoldShelf;
  /** Appends in one transaction with the projections; group commit within 10 ms. Rejects with store_failed: nothing was kept. */
  append(sessionId: SessionId, events: readonly SessionEvent[]): Promise<readonly LoggedEvent[]>;
  /**
   * Makes session `sessionId` of `created`, copies of the events 2 to `seq` of `from` with their times, and `closing`, in
   * one transaction; listeners are not told, as nobody can know of it yet. Rejects like append.
   */
  fork(wish: {
    readonly sessionId: SessionId;
    readonly created: SessionEvent;
    readonly from: SessionId;
    readonly seq: number;
    readonly closing: readonly SessionEvent[];
  }): Promise<void>;
  /** Events with seq > after, in order. */
  read(sessionId: SessionId, after?: number, limit?: number): readonly LoggedEvent[];
  session(sessionId: SessionId): SessionRow | undefined;
  sessions(): readonly SessionRow[];
  totals(sessionId?: SessionId): {
    readonly totals: Totals;
    readonly byModel: readonly { model: string; totals: Totals }[];
  };
  /** What was spent since then, by removed sessions too. */
  totalsSince(at: number): Totals;
  /** What the user allowed besides the budgets, in any session, since then; the oldest first. */
  raisesSince(at: number): readonly Extract<SessionEvent, { kind: 'budget.raised' }>[];
  /** Removes the log of a session and what only it had archived; what it cost stays counted. No turn of it may run. */
  removeSession(sessionId: SessionId): Promise<void>;
  /** Replaces a text wherever it is kept. No turn may run; afterwards nothing that was read before counts. */
  forget(secret: string): Promise<{ readonly events: number; readonly bodies: number; readonly files: number }>;
  /** Gives a little room on a full disk, once, for what must still be written. False: there is none left. */
  releaseReserve?(): boolean;
  /** Where all of it lies, for people; absent: on no disk. */
  readonly folder?: string;
  /** Called after each commit, in commit order, before append's promise settles. */
  onCommit(listener: (sessionId: SessionId, events: readonly LoggedEvent[]) => void): Disposable;
  close(): Promise<void>;
}

/** A tool's result before it is admitted. */
export interface ToolResult {
  readonly outcome: 'ok' | 'failed' | 'interrupted' | 'unknown';
  readonly body: Body;
  readonly exitCode?: number;
  readonly files?: readonly SeenFile[];
  readonly diff?: string;
  /** One line that goes in front of what is shown and is never cut ('exit 1 after 2.3 s'). */
  readonly head?: string;
  /** The lines of a file or of an archived body that the result gives: for the decision what of them is news. */
  readonly view?: FileView;
  /** The command goes on as this job. */
  readonly job?: { readonly jobId: JobId; readonly command: string };
  /** Images that the model is to see with it: they are archived and named by their bytes. */
  readonly images?: readonly NewImage[];
  /** The file before and after an edit. */
  readonly edited?: { readonly before: FileContent; readonly after: FileContent };
}

export interface NewImage extends Pick<Image, 'name' | 'type' | 'width' | 'height'> {
  readonly bytes: Uint8Array;
}

/** A file's content, and the text as which the model is shown it. */
export interface FileContent {
  readonly hash: string;
  readonly bytes: Uint8Array;
  /** With LF. */
  readonly text: string;
}

export interface FileView {
  /** Relative to the root; `archive:<id>` for an archived body. */
  readonly path: string;
  readonly hash: string;
  /** Lines of the whole. */
  readonly lines: number;
  /** The number of the first line of `rows`. */
  readonly first: number;
  /** The lines that the result gives, in the words in which it gives them. */
  readonly rows: readonly string[];
  /** What the result says after them. */
  readonly foot?: string;
  /** Absent: never compared with another content of the file. */
  readonly content?: FileContent;
}

export type Body =
  | CommandOutput
  /** What a search found; its text form is what the archive keeps. */
  | { readonly kind: 'hits'; readonly answer: SearchAnswer };

/** What a tool may use. Paths in `input` are the model's; `files.resolve` decides what they may reach. */
export interface ToolContext {
  /** The workspace: a real path. */
  readonly root: string;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly search: Search;
  readonly archive: Archive;
  readonly commands: CallCommands;
  /** The environment of the session's client, without keys and without anything of zerd. */
  readonly env: Readonly<Record<string, string>>;
  /** How much of a result the model will see. */
  readonly caps: Caps;
  /** The file as the model last saw or wrote it; undefined: never. Path relative to the root. */
  readonly seen: (path: string) => SeenFile | undefined;
  /** What the session keeps in mind; absent: it keeps nothing. */
  readonly memory?: MemoryPort;
  /** The skills that there are now, by name; absent: none. */
  readonly skills?: () => Promise<readonly FoundSkill[]>;
  /** The servers of outside tools; absent: there are none here. */
  readonly outside?: OutsideTools;
  /** The call goes on: what it says is progress, and its time begins anew. */
  readonly progress?: () => void;
  /** Gives a task to a sub-agent and settles with what it answers; absent: there are none here. */
  readonly delegate?: (task: ToolInput<'task'>) => Promise<ToolResult>;
}

/** The port of outside tools as one session uses it. */
export interface OutsideTools {
  servers(): readonly McpServer[];
  learn(signal: AbortSignal): Promise<readonly McpServer[]>;
  call(call: Omit<McpCall, 'env'>): Promise<McpAnswer>;
}

/** Never throws for what is expected: a failure is a result with outcome 'failed' whose text says what to do. */
export type ToolRun<N extends ToolName> = (input: ToolInput<N>, context: ToolContext) => Promise<ToolResult>;

/** Says which files may have changed. It only suspects: whether they did is decided by their content. */
export interface FileWatch {
  /** From now on these too, by their paths relative to the root. Those that are new to it are suspected at once. */
  follow(paths: readonly string[]): void;
  /** Those that may have changed since they were last taken; all of them once watching has failed. */
  take(): readonly string[];
  /** What was not seen may have happened: from now on all of them are suspected each time. */
  doubt(): void;
  close(): Promise<void>;
}

/** Opens a watch for one turn; nothing is held before the first file is followed. `onFailure` is told why it cannot watch. */
export type OpenFileWatch = (onFailure: (why: string) => void) => FileWatch;

export interface SearchQuery {
  readonly pattern: string;
  readonly path?: string;
  readonly glob?: string;
  readonly literal?: boolean;
  readonly ignoreCase?: boolean;
  /** In any case when the pattern holds no capital letter. */
  readonly smartCase?: boolean;
  readonly wholeWord?: boolean;
  /** A match may go over lines. */
  readonly multiline?: boolean;
  /** A kind of files as ripgrep names it: `ts`, `rust`. */
  readonly type?: string;
  readonly context?: number;
  /** The first so many hits are enough: nothing more need be looked at, and totals are those of what was. */
  readonly maxHits?: number;
}

export interface SearchHit {
  /** Relative to the root, with forward slashes. */
  readonly path: string;
  readonly line: number;
  readonly text: string;
  /** UTF-16 offset of the first match in `text`; absent on context lines. */
  readonly column?: number;
  /** Bytes of a giant line that are missing before and after `text`. */
  readonly cutBefore?: number;
  readonly cutAfter?: number;
}

export interface SearchAnswer {
  readonly hits: readonly SearchHit[];
  /** Counted over everything, also what `hits` leaves out. */
  readonly totalMatches: number;
  readonly totalFiles: number;
  /** Matching lines by file in path order, as far as they were counted one by one. */
  readonly files?: readonly { readonly path: string; readonly count: number }[];
  /** Hidden and ignored files were left aside. */
  readonly partial?: boolean;
  /** Whether it is proved that all that was written before the question is in the answer; absent: nothing was proved. */
  readonly synced?: boolean;
  /** Why the answer is not whole; absent: it is. */
  readonly incomplete?: string;
}

export interface FindAnswer {
  /** In path order, relative to the root. */
  readonly paths: readonly string[];
  readonly total: number;
  /** Where nothing fits: paths that have the pattern's letters in their order, the nearest first. */
  readonly near?: readonly string[];
  readonly incomplete?: string;
}

/** Search of contents and of paths. */
export interface Search {
  /** Rejects with ZerdError invalid_params when the pattern does not parse. */
  search(query: SearchQuery, signal: AbortSignal): Promise<SearchAnswer>;
  find(pattern: string, signal: AbortSignal): Promise<FindAnswer>;
}

/** Search with the index behind it, as the server has it. Nothing of it is opened before it is used. */
export interface SearchService extends Search {
  /** The paths that fit what somebody types, the best first. */
  rank(
    typed: string,
    limit: number,
    signal: AbortSignal,
  ): Promise<Pick<FindAnswer, 'paths' | 'total' | 'incomplete'> & { readonly synced: boolean }>;
  indexStatus(): Promise<IndexReport>;
  /** Begins to build the index anew; the old one answers until then. */
  rebuildIndex(why: string): Promise<IndexReport>;
  /** Called when what `indexStatus` says has changed, at most a few times a second. */
  onIndex(listener: (report: IndexReport) => void): Disposable;
  close(): Promise<void>;
}
