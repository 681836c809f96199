/**
 * Names the prefix that requests share: the same for the same repository, model, tools and system, in any process.
 * ChatGPT's backend divides its cache by session: there the key is the session itself.
 */
import { createHash } from 'node:crypto';
import type { SessionState } from '@zerd/core/session/state';
import type { SessionId } from '@zerd/protocol/common/ids';
import type { Endpoint } from '@zerd/providers/provider';

export function cacheKeyOf(state: SessionState, sessionId: SessionId, endpoint: Endpoint): string {
  if (endpoint.codex === true) return sessionId;
  const { root, tools, system } = state.created;
  return createHash('sha256')
    .update(JSON.stringify([root, state.model, tools, system]))
    .digest('hex')
    .slice(0, 32);
}
