/** The notes and the list of steps of a session, as a part of the fold: they outlive trims, compactions and turns. */
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { Memory } from './state.ts';

type EventOf<K extends SessionEvent['kind']> = Extract<SessionEvent, { kind: K }>;

const allTold: Memory['untold'] = { notes: false, todo: false };

export const noMemory: Memory = { notes: {}, todo: '', todoChangedAt: 0, todoAt: 0, untold: allTold };

export function changeNotes(memory: Memory, { notes, by }: EventOf<'notes.changed'>): Memory {
  return { ...memory, notes, untold: by === 'user' ? { ...memory.untold, notes: true } : memory.untold };
}

/** `answered`: requests of the session that were answered by now. */
export function changeTodo(memory: Memory, { list, by }: EventOf<'todo.changed'>, answered: number): Memory {
  const untold = by === 'user' ? { ...memory.untold, todo: true } : memory.untold;
  return { ...memory, todo: list, todoChangedAt: answered, todoAt: answered, untold };
}

/** `about`: what the model was reminded of. */
export function remindedOfMemory(
  memory: Memory,
  about: EventOf<'reminder.added'>['about']['kind'],
  answered: number,
): Memory {
  if (about === 'todoStale') return { ...memory, todoAt: answered };
  return about === 'notesEdited' ? { ...memory, untold: allTold } : memory;
}
