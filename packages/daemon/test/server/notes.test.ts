import { expect, test } from '@jest/globals';
import { ZerdError } from '@zerd/protocol/common/errors';
import { methods } from '@zerd/protocol/common/methods';
import { createHandlers } from '../../src/server/handlers.ts';
import { fakeHouse, ses } from './fake-house.ts';

function served() {
  const house = fakeHouse();
  house.store.commit(ses('1'), { kind: 'mode.changed', mode: 'ask' });
  const handlers = createHandlers({ house, broadcast: {} as never, clients: () => 1 });
  return { house, handlers };
}

test('notes are read and written by the runner, and the answers fit their schema', async () => {
  const { house, handlers } = served();
  const read = await handlers['notes/read']({ sessionId: ses('1') }, {} as never);
  expect(methods['notes/read'].result.parse(read)).toEqual({ notes: { goal: 'Ship.' }, todo: '', file: '/notes.md' });
  const params = { sessionId: ses('1'), notes: undefined, todo: '[ ] a' };
  const written = await handlers['notes/write'](params, {} as never);
  expect(methods['notes/write'].result.parse(written)).toEqual({ notes: {}, todo: '[ ] a', file: '/notes.md' });
  // What was not given is absent.
  expect(house.runner.asked.at(-1)).toEqual(['writeNotes', [ses('1'), { todo: '[ ] a' }]]);
});

test('an unknown session is refused, and so is a section that there is not', () => {
  const { handlers } = served();
  const unknown = () => handlers['notes/read']({ sessionId: ses('../../x') }, {} as never);
  expect(unknown).toThrow(ZerdError);
  const { params } = methods['notes/write'];
  expect(params.safeParse({ sessionId: 'ses_1', notes: { golas: 'x' } }).success).toBe(false);
  expect(params.safeParse({ sessionId: 'ses_1', notes: { goal: '' } }).success).toBe(true);
});
