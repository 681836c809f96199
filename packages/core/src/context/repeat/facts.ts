/** What the decisions about repeats are handed, and what they give. */
import type { SessionEvent, ShownLines, ToolOutcome } from '@zerd/protocol/common/event';
import type { ArchiveId, CallId } from '@zerd/protocol/common/ids';
import type { SessionState } from '../../session/state.ts';
import type { VisibleResults } from '../visible.ts';

/** Lines of a file, or of an archived body, that a result is about. */
export interface ReadFacts {
  /** Relative to the root; `archive:<id>` for an archived body. */
  readonly path: string;
  /** SHA-256 of the whole. */
  readonly hash: string;
  /** Lines of the whole. */
  readonly lines: number;
  readonly first: number;
  /** The lines from `first` on as the result gives them: with numbers in front where the command adds them. */
  readonly rows: readonly string[];
  /** What the result says after them, such as how to go on; it stays whatever becomes of the rows. */
  readonly foot: string | undefined;
  /** The lines of the whole; undefined: it is never compared. */
  readonly text: readonly string[] | undefined;
  /** Under which the whole can be had; undefined: only what was read is archived. */
  readonly archiveId: ArchiveId | undefined;
}

/** Earlier contents of the same file, by hash, as lines. */
export type Bases = ReadonlyMap<string, readonly string[]>;

export interface Admission {
  readonly state: SessionState;
  readonly visible: VisibleResults;
  readonly callId: CallId;
  readonly name: string;
  readonly inputJson: string;
  readonly outcome: ToolOutcome;
  /** The result as it stands for itself: what is shown unless something shorter says the same. */
  readonly shown: string;
  /** Its first line, when that says how it ended or what it is. */
  readonly head: string | undefined;
  /** Of the whole body; undefined: it is empty. */
  readonly archiveId: ArchiveId | undefined;
  readonly read: ReadFacts | undefined;
  readonly bases: Bases;
  readonly lineCap: number;
}

type Finished = Extract<SessionEvent, { kind: 'toolCall.finished' }>;

export interface Decision {
  readonly shown: string;
  readonly leansOn?: Finished['leansOn'] & {};
  readonly reads?: ShownLines[];
  readonly nothingNew?: Finished['nothingNew'] & {};
}

/** Smaller results are shown again as they are. */
export const leastWorth = 200;
