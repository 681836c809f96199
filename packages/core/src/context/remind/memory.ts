/**
 * Decides whether the model is reminded of its notes or its list of steps: once when the user changed them, and of a list
 * with open steps after every ten requests in which it was not changed. Invariant: each reminder answers for itself in the
 * fold, so that none comes twice.
 */
import type { SessionEvent } from '@zerd/protocol/common/event';
import type { TurnId } from '@zerd/protocol/common/ids';
import { notesText } from '../../memory/tell-memory.ts';
import { currentStep, doneText, readTodo } from '../../memory/todo.ts';
import type { SessionState } from '../../session/state.ts';

type Reminder = Extract<SessionEvent, { kind: 'reminder.added' }>;

/** Answered requests. */
const staleAfter = 10;

/** Undefined: there is nothing to say. */
export function remindOfMemory(state: SessionState, turnId: TurnId): Reminder | undefined {
  const edited = editedText(state);
  if (edited !== '') return { kind: 'reminder.added', turnId, text: edited, about: { kind: 'notesEdited' } };
  const { todoAt, todoChangedAt, todo } = state.memory;
  const { answered } = state.compactions;
  if (todo === '' || answered - todoAt < staleAfter) return undefined;
  const read = readTodo(todo);
  const step = currentStep(read);
  if (step === undefined) return undefined;
  const requests = answered - todoChangedAt;
  const where = step.state === 'doing' ? 'in progress' : 'next';
  const text = `Your todo list was not changed for ${requests} requests: ${doneText(read)}, ${where}: ${step.text}. Bring it up to date if it no longer fits.`;
  return { kind: 'reminder.added', turnId, text, about: { kind: 'todoStale', requests } };
}

function editedText({ memory }: SessionState): string {
  const { untold, todo } = memory;
  const notes = notesText(memory);
  return [
    ...(untold.notes
      ? [notes === '' ? 'The user emptied your notes.' : `The user edited your notes. They now are:\n${notes}`]
      : []),
    ...(untold.todo
      ? [todo === '' ? 'The user emptied your todo list.' : `The user edited your todo list. It now is:\n${todo}`]
      : []),
  ].join('\n\n');
}
