/**
 * Words the notes and the list of steps for the model, word for word: in a summary, where nothing else would remember
 * them (P106), and when the user changed them.
 */
import type { LoggedEvent } from '@zerd/protocol/common/event';
import { type KeptNotes, noteSections } from '@zerd/protocol/common/notes-markdown';

/** As they are at the end of the log. */
export function memoryOf(events: readonly LoggedEvent[]): KeptNotes {
  const notes = events.findLast(({ event }) => event.kind === 'notes.changed')?.event;
  const todo = events.findLast(({ event }) => event.kind === 'todo.changed')?.event;
  return {
    notes: notes?.kind === 'notes.changed' ? notes.notes : {},
    todo: todo?.kind === 'todo.changed' ? todo.list : '',
  };
}

const names = { goal: 'Goal', decisions: 'Decisions', done: 'Done', next: 'Next' } as const;

/** Empty when there are none. */
export function notesText({ notes }: Pick<KeptNotes, 'notes'>): string {
  return noteSections
    .flatMap((name) => (notes[name] === undefined || notes[name] === '' ? [] : [labelled(names[name], notes[name])]))
    .join('\n');
}

function labelled(label: string, text: string): string {
  return text.includes('\n') ? `${label}:\n${text}` : `${label}: ${text}`;
}
