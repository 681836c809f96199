import { expect, test } from '@jest/globals';
import { changeMemory } from '@zerd/core/memory/change-memory';
import { todoAnswer } from '@zerd/core/memory/todo';
import { foldSession } from '@zerd/core/session/fold';
import { nextStep } from '@zerd/core/session/next-step';
import type { SessionEvent } from '@zerd/protocol/common/event';
import { assistant, call, created, finished, log, message, turn } from '../session/events.ts';

test('given sections replace the old ones, an empty one goes, and the others stand', () => {
  const memory = { notes: { goal: 'Old.', next: 'Later.' }, todo: '[ ] a' };
  expect(changeMemory(memory, { notes: { goal: '\n New.\r\nTwo. \n', next: '', done: 'One' } })).toEqual({
    kind: 'changed',
    notes: { goal: ' New.\nTwo.', done: 'One' },
    todo: undefined,
  });
  expect(changeMemory(memory, { notes: { goal: 'Old.' }, todo: '[x] a\n' })).toEqual({
    kind: 'changed',
    notes: undefined,
    todo: '[x] a',
  });
});

test('what is too long is refused whole', () => {
  expect(changeMemory({ notes: { goal: 'x'.repeat(3_000) }, todo: '' }, { notes: { next: 'é'.repeat(501) } })).toEqual({
    kind: 'tooLong',
    what: 'notes',
    bytes: 4_002,
    most: 4_000,
  });
  expect(changeMemory({ notes: {}, todo: '' }, { todo: 'x'.repeat(4_001) })).toMatchObject({ kind: 'tooLong' });
});

test('a list is answered by how far it is; lines that are no steps are named', () => {
  expect(todoAnswer('[x] a\n- [>] b\n\n  [ ] c\n[X] d')).toBe('2 of 4 done');
  expect(todoAnswer(' ')).toBe('The list is empty now.');
  expect(todoAnswer('[x] a\nthen b\n[] c\n[ ]')).toBe(
    '1 of 1 done; kept as they are, but no steps, without [ ], [>] or [x]: line 2 "then b", line 3 "[] c", line 4 "[ ]"',
  );
});

const { turnId } = turn;
const begun = [created, turn, message('Go')];
const todo = (list: string, by: 'model' | 'user' = 'model'): SessionEvent => ({ kind: 'todo.changed', by, list });

function rounds(from: number, count: number): readonly SessionEvent[] {
  return Array.from({ length: count }, (_, i) => [
    assistant(`req_${from + i}`, call(`c${from + i}`)),
    finished(`c${from + i}`),
  ]).flat();
}

function stepAfter(...events: readonly SessionEvent[]) {
  return nextStep(foldSession(log(...begun, ...events)));
}

test('a list with open steps is recalled after ten requests without a change, once each ten', () => {
  const list = todo('[x] a\n[>] fix the parser\n[ ] c');
  expect(stepAfter(list, ...rounds(1, 9))).toEqual({ kind: 'callModel' });
  const first = stepAfter(list, ...rounds(1, 10));
  expect(first).toEqual({
    kind: 'remind',
    reminder: {
      kind: 'reminder.added',
      turnId,
      text: 'Your todo list was not changed for 10 requests: 1 of 3 done, in progress: fix the parser. Bring it up to date if it no longer fits.',
      about: { kind: 'todoStale', requests: 10 },
    },
  });
  if (first.kind !== 'remind') throw new Error('no reminder');
  expect(stepAfter(list, ...rounds(1, 10), first.reminder)).toEqual({ kind: 'callModel' });
  expect(stepAfter(list, ...rounds(1, 10), first.reminder, ...rounds(11, 9))).toEqual({ kind: 'callModel' });
  expect(stepAfter(list, ...rounds(1, 10), first.reminder, ...rounds(11, 10))).toMatchObject({
    reminder: { about: { kind: 'todoStale', requests: 20 } },
  });
});

test('a list that is done, empty or was changed is not recalled', () => {
  expect(stepAfter(todo('[x] a'), ...rounds(1, 12))).toEqual({ kind: 'callModel' });
  expect(stepAfter(todo('[ ] a'), todo(''), ...rounds(1, 12))).toEqual({ kind: 'callModel' });
  expect(stepAfter(todo('[ ] a'), ...rounds(1, 9), todo('[ ] b'), ...rounds(10, 9))).toEqual({ kind: 'callModel' });
});

test('what the user changed is told once, word for word, and what the model changed is not', () => {
  const notes = (by: 'model' | 'user'): SessionEvent => ({
    kind: 'notes.changed',
    by,
    notes: { goal: 'Ship it.', next: 'one\ntwo' },
  });
  expect(stepAfter(notes('model'), todo('[ ] a'))).toEqual({ kind: 'callModel' });
  const step = stepAfter(notes('user'), todo('[ ] a', 'user'));
  expect(step).toEqual({
    kind: 'remind',
    reminder: {
      kind: 'reminder.added',
      turnId,
      text: 'The user edited your notes. They now are:\nGoal: Ship it.\nNext:\none\ntwo\n\nThe user edited your todo list. It now is:\n[ ] a',
      about: { kind: 'notesEdited' },
    },
  });
  if (step.kind !== 'remind') throw new Error('no reminder');
  expect(stepAfter(notes('user'), todo('[ ] a', 'user'), step.reminder)).toEqual({ kind: 'callModel' });
});

test('between the parts of one answer nothing is said', () => {
  const paused: SessionEvent = { ...assistant('req_1', { kind: 'text', text: 'Well' }), stopReason: 'pause' };
  expect(stepAfter(todo('[ ] a', 'user'), paused)).toEqual({ kind: 'callModel' });
});
