/** Finds or makes the session that a run goes on in, and the event after which the run's own begin. */

import { ZerdError } from '@zerd/protocol/common/errors';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Mode } from '@zerd/protocol/common/mode';
import type { ZerdClient } from '@zerd/protocol/node/client';
import { given } from '../given.ts';
import { asSessionId } from './session-id.ts';

export interface SessionWish {
  readonly session?: string | undefined;
  readonly continue?: boolean | undefined;
  readonly model?: string | undefined;
  readonly mode?: Mode | undefined;
  readonly trust?: boolean | undefined;
}

export interface OpenSession {
  readonly sessionId: SessionId;
  readonly after: number;
  /** Its last event when it was made for this: while that is the last, nothing was said in it. Absent: it was there. */
  readonly createdSeq?: number;
}

export async function openSession(client: ZerdClient, wish: SessionWish): Promise<OpenSession> {
  if (wish.session === undefined && wish.continue !== true) return await createSession(client, wish);
  const found = wish.session === undefined ? await newest(client) : await named(client, asSessionId(wish.session));
  if (wish.mode !== undefined) await client.request('session/setMode', { sessionId: found.sessionId, mode: wish.mode });
  return found;
}

async function createSession(client: ZerdClient, { model, mode, trust }: SessionWish): Promise<OpenSession> {
  const { sessionId, seq } = await client.request('session/create', given({ model, mode, trust }));
  // From its first event: the run sees what a watcher of the session sees.
  return { sessionId, after: 0, createdSeq: seq };
}

async function newest(client: ZerdClient): Promise<OpenSession> {
  const { sessions } = await client.request('session/list', {});
  const session = sessions.find(({ parentId }) => parentId === undefined);
  if (session === undefined)
    throw new ZerdError('unknown_session', 'There is no session to continue here. Run without --continue.');
  return { sessionId: session.sessionId, after: session.lastSeq };
}

async function named(client: ZerdClient, sessionId: SessionId): Promise<OpenSession> {
  const { session } = await client.request('session/read', { sessionId, limit: 1 });
  return { sessionId, after: session.lastSeq };
}
