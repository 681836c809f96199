/** The notes and the list of steps of a session, as a part of the fold: they outlive trims, compactions and turns. */
import type { Notes } from '@zerd/protocol/common/work-events';
import type { Memory } from './state.ts';

export const noMemory: Memory = { notes: {}, todo: '', todoAt: 0 };

export function changeNotes(memory: Memory, notes: Notes): Memory {
  return { ...memory, notes };
}

/** `answered`: requests of the session that were answered by now. */
export function changeTodo(memory: Memory, todo: string, answered: number): Memory {
  return { ...memory, todo, todoAt: answered };
}

export function remindedOfTodo(memory: Memory, answered: number): Memory {
  return { ...memory, todoAt: answered };
}
