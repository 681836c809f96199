/** What sessions keep in mind, for people to read and to change. */
import type { Handlers } from '../dispatch.ts';
import { given } from '../given.ts';
import type { House } from '../house.ts';
import { knownSession } from './session.ts';

export function notesHandlers({ store, runner }: House): Pick<Handlers, 'notes/read' | 'notes/write'> {
  return {
    'notes/read'({ sessionId }) {
      knownSession(store, sessionId);
      return runner.readNotes(sessionId);
    },
    'notes/write'({ sessionId, ...change }) {
      knownSession(store, sessionId);
      return runner.writeNotes(sessionId, given(change));
    },
  };
}
