/**
 * Names the prefix that requests share: the same for the same repository, model, tools and system, in any process.
 * ChatGPT's backend divides its cache by session: there the key is the session itself, or the one in which its line of
 * forks began.
 */
import { createHash } from 'node:crypto';
import type { SessionState } from '@zerd/core/session/state';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Endpoint } from '@zerd/providers/provider';

export function cacheKeyOf(state: SessionState, sessionId: SessionId, endpoint: Endpoint): string {
  const { root, tools, system, forkOf } = state.created;
  // A fork goes on with what its line has cached.
  if (endpoint.codex === true) return forkOf?.origin ?? forkOf?.sessionId ?? sessionId;
  return createHash('sha256')
    .update(JSON.stringify([root, state.model, tools, system]))
    .digest('hex')
    .slice(0, 32);
}
