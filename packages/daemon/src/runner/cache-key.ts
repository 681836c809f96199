/**
 * Names the prefix that requests share: the same for the same repository, model, tools and system, in any process.
 * Where a ChatGPT plan pays, the cache is divided by session: there the key is the session itself, or the one in which its line of
 * forks began.
 */
import { createHash } from 'node:crypto';
import type { SessionState } from '@zerd/core/session/state';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Endpoint } from '@zerd/providers/provider';

export function cacheKeyOf(state: SessionState, sessionId: SessionId, endpoint: Endpoint): string {
  const { root, tools, system, forkOf } = state.created;
  // A fork goes on with what its line has cached.
  if (dividesBySession(endpoint)) return forkOf?.origin ?? forkOf?.sessionId ?? sessionId;
  return createHash('sha256')
    .update(JSON.stringify([root, state.model, tools, system]))
    .digest('hex')
    .slice(0, 32);
}

/** ChatGPT's backend, and the API that a plan pays for: nothing is shared between sessions. */
export function dividesBySession({ codex, plan }: Pick<Endpoint, 'codex' | 'plan'>): boolean {
  return codex === true || plan === true;
}
