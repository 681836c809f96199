/** What the model sees, exactly. */
import type { Handlers } from '../dispatch.ts';
import type { House } from '../house.ts';
import { knownSession } from './session.ts';

export function contextHandlers({ store, runner }: House): Pick<Handlers, 'context/read'> {
  return {
    'context/read'({ sessionId, requestId }) {
      knownSession(store, sessionId);
      const { model, body, outline } = runner.contextBody(sessionId, requestId);
      return { model, body, bytes: Buffer.byteLength(body), outline };
    },
  };
}
