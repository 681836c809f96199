/** The ports to what a session keeps in mind, and to the skills that there are. */
import type { MemoryChange } from '@zerd/core/memory/change-memory';
import type { Skill } from '@zerd/core/skills/skill';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { KeptNotes } from '@zerd/protocol/common/notes-markdown';

/** The notes of sessions as files that people read and change. The log stays the truth. */
export interface NotesFiles {
  /** The path of the session's file, whether or not it is there. */
  place(sessionId: SessionId): string;
  /** Undefined: there is none, or nothing that is a file. Rejects with invalid_params when it is too large. */
  read(sessionId: SessionId): Promise<string | undefined>;
  /** Puts `text` in its place, all of it or nothing. Rejects with store_failed. */
  write(sessionId: SessionId, text: string): Promise<void>;
}

export interface MemoryPort {
  read(): KeptNotes;
  /** Settles when the change is committed. Rejects with ZerdError invalid_params: it does not fit, and nothing changed. */
  keep(change: MemoryChange): Promise<void>;
}

export interface FoundSkill extends Skill {
  /** Real paths: of its SKILL.md, and of the folder whose files belong to it. */
  readonly file: string;
  readonly folder: string;
  /** It is the workspace's own; else the user's. */
  readonly project: boolean;
}
