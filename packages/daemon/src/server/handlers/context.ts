/** What the model sees, exactly. */
import { envOf } from '../caller.ts';
import type { Handlers } from '../dispatch.ts';
import type { House } from '../house.ts';
import { knownSession } from './session.ts';

export function contextHandlers({ store, runner }: House): Pick<Handlers, 'context/read'> {
  return {
    'context/read'({ sessionId, requestId }, caller) {
      knownSession(store, sessionId);
      const { body, ...read } = runner.contextBody(sessionId, requestId);
      const sizes = runner.contextSizes(sessionId, requestId, envOf(caller));
      return { ...read, body, bytes: Buffer.byteLength(body), ...sizes };
    },
  };
}
