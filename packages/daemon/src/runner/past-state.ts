/** The fold as it stood when a past request was made: the prompt is a function of the log (I2). */
import { foldSession } from '@zerd/core/session/fold';
import type { SessionState } from '@zerd/core/session/state';
import { ZerdError } from '@zerd/protocol/common/errors';
import type { RequestId, SessionId } from '@zerd/protocol/common/ids';
import type { Store } from '../base/ports.ts';

/** Throws invalid_params when the session made no such request. */
export function stateAt(store: Store, sessionId: SessionId, requestId: RequestId): SessionState {
  const events = store.read(sessionId);
  const at = events.findIndex(({ event }) => event.kind === 'request.started' && event.requestId === requestId);
  if (at < 0) throw new ZerdError('invalid_params', `Session ${sessionId} made no request ${requestId}.`);
  return foldSession(events.slice(0, at));
}
