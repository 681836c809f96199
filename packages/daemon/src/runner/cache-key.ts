/** Names the prefix that sessions share: the same for the same repository, model, tools and system, in any process. */
import { createHash } from 'node:crypto';
import type { SessionState } from '@zerd/core/session/fold';

export function cacheKeyOf(state: SessionState): string {
  const { root, tools, system } = state.created;
  return createHash('sha256')
    .update(JSON.stringify([root, state.model, tools, system]))
    .digest('hex')
    .slice(0, 32);
}
