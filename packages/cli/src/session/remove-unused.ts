/** Removes a session that was made for a script which then said nothing in it. */
import { isZerdError } from '@zerd/protocol/common/errors';
import type { Feed } from '@zerd/protocol/node/follow';
import type { OpenSession } from './open-session.ts';

/** True: it is gone. What cannot be removed now stays, and harms nobody. */
export async function removeUnused(
  { request }: Pick<Feed, 'request'>,
  { sessionId, createdSeq }: OpenSession,
): Promise<boolean> {
  if (createdSeq === undefined) return false;
  try {
    const { session } = await request('session/read', { sessionId, limit: 1 });
    if (session.lastSeq > createdSeq) return false;
    await request('session/delete', { sessionId });
    return true;
  } catch (error) {
    if (isZerdError(error)) return false;
    throw error;
  }
}
