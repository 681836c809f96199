/** What is known of how a model's provider caches, by the reference that the log holds. */
import type { CacheKnowledge } from '@zerd/core/accounting/cache-knowledge';
import type { Config } from '../../config/load.ts';
import { describeKnown, type ResolvedModel } from '../../config/models.ts';

/** What every provider keeps at least (Anthropic's default and OpenAI's floor, 2026-11). */
const usualCacheMs = 300_000;

export function cacheKnowledge(config: Config): (ref: string) => CacheKnowledge {
  const known = new Map<string, CacheKnowledge>();
  return (ref) => {
    const before = known.get(ref);
    if (before !== undefined) return before;
    const found = knowledgeOf(describeKnown(config, ref));
    known.set(ref, found);
    return found;
  };
}

/** Whether a model that the log names binds its reasoning to what stood before. */
export function bindsReasoning(config: Config): (ref: string) => boolean {
  return (ref) => describeKnown(config, ref)?.row?.bindsReasoning === true;
}

export function knowledgeOf(model: Pick<ResolvedModel, 'row'> | undefined): CacheKnowledge {
  const { cacheMs = usualCacheMs, minPrefix = null, reportsCache = null } = model?.row ?? {};
  return { cacheMs, minPrefix, reportsCache: reportsCache ?? undefined };
}
