/** The tokens of a whole prompt, as its provider reported them. */
import type { Usage } from '@zerd/protocol/common/usage';

export function promptOf({ uncached, cacheRead, cacheWrite }: Usage): number {
  return uncached + cacheRead + cacheWrite;
}
