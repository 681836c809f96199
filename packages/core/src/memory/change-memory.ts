/**
 * Decides what the notes and the list of steps of a session hold after a change. Invariants: nothing that was given is
 * cut; what does not fit is refused whole, and the old stays.
 */
import { noteSections, tidied } from '@zerd/protocol/common/notes-markdown';
import type { Notes } from '@zerd/protocol/common/work-events';
import type { Memory } from '../session/state.ts';
import { utf8Length, wellFormed } from '../text/utf8.ts';

/** They are told again in every summary, so they stay small. Bytes. */
export const mostNotesBytes = 4_000;
export const mostTodoBytes = 4_000;

export interface MemoryChange {
  /** Given sections replace the old ones; an empty one goes. */
  readonly notes?: Notes;
  /** Replaces the old list. */
  readonly todo?: string;
}

export type ChangedMemory =
  | {
      readonly kind: 'changed';
      /** As they are from now on; undefined: as before. */
      readonly notes: Notes | undefined;
      readonly todo: string | undefined;
    }
  | {
      readonly kind: 'tooLong';
      readonly what: 'notes' | 'list of steps';
      readonly bytes: number;
      readonly most: number;
    };

export function changeMemory(memory: Pick<Memory, 'notes' | 'todo'>, change: MemoryChange): ChangedMemory {
  const notes = change.notes === undefined ? memory.notes : mergeNotes(memory.notes, change.notes);
  const todo = change.todo === undefined ? memory.todo : kept(change.todo);
  const notesBytes = noteSections.reduce((sum, name) => sum + utf8Length(notes[name] ?? ''), 0);
  if (notesBytes > mostNotesBytes && change.notes !== undefined)
    return { kind: 'tooLong', what: 'notes', bytes: notesBytes, most: mostNotesBytes };
  const todoBytes = utf8Length(todo);
  if (todoBytes > mostTodoBytes && change.todo !== undefined)
    return { kind: 'tooLong', what: 'list of steps', bytes: todoBytes, most: mostTodoBytes };
  const sameNotes = noteSections.every((name) => notes[name] === memory.notes[name]);
  return {
    kind: 'changed',
    notes: sameNotes ? undefined : notes,
    todo: todo === memory.todo ? undefined : todo,
  };
}

function mergeNotes(old: Notes, given: Notes): Notes {
  const merged = noteSections.flatMap((name) => {
    const text = given[name] === undefined ? old[name] : kept(given[name]);
    return text === undefined || text === '' ? [] : [[name, text] as const];
  });
  return Object.fromEntries(merged);
}

function kept(text: string): string {
  return tidied(wellFormed(text));
}

export function tooLongText({ what, bytes, most }: Extract<ChangedMemory, { kind: 'tooLong' }>): string {
  return `Not kept: the ${what} would take ${bytes} bytes, the most is ${most}. Say it in fewer words; what was kept before stands.`;
}
