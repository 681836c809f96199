/** Finds the session that a command looks at: the named one, or the newest. */
import { ZerdError } from '@zerd/protocol/common/errors';
import type { ZerdClient } from '@zerd/protocol/node/client';
import type { OpenSession } from './open-session.ts';
import { asSessionId } from './session-id.ts';

export async function pickSession(client: ZerdClient, named: string | undefined): Promise<OpenSession> {
  if (named !== undefined) {
    const { session } = await client.request('session/read', { sessionId: asSessionId(named), limit: 1 });
    return { sessionId: session.sessionId, after: session.lastSeq };
  }
  const { sessions } = await client.request('session/list', {});
  // A sub-agent is looked at by its name.
  const newest = sessions.find(({ parentId }) => parentId === undefined);
  if (newest === undefined)
    throw new ZerdError('unknown_session', 'There is no session here yet. Start one: zerd run "<prompt>"');
  return { sessionId: newest.sessionId, after: newest.lastSeq };
}
