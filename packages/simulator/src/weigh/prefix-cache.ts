/**
 * The automatic cache of Responses and Chat Completions: the longest token prefix that equals one of an earlier request to the same
 * model, in steps of 128 from 1,024 on. Writing costs nothing extra and is reported as uncached. (OpenAI's guide to
 * prompt caching, models up to GPT-5.5, as of 2026-11-29.)
 */
import { atOnce, type CacheShare, type WhenBegun } from './anthropic-cache.ts';
import type { Counted } from './tokens.ts';

export interface PrefixRequest {
  readonly model: string;
  readonly blocks: readonly (Counted & { readonly section?: string })[];
  readonly now: number;
  /** Tokens below which nothing is read; absent: 1,024. */
  readonly minimum?: number;
}

const usualMinimum = 1024;
const step = 128;

/** `ttlMs` on the virtual clock, refreshed by use; absent: nothing expires. */
export function createPrefixCache(ttlMs = Number.POSITIVE_INFINITY): {
  charge(request: PrefixRequest, whenBegun?: WhenBegun): CacheShare;
  /** Entries go: all, or what of them lies behind the system text. */
  evict(what: 'all' | 'messages'): void;
} {
  let entries: { readonly request: PrefixRequest; usedAt: number }[] = [];
  return {
    charge(request, whenBegun = atOnce) {
      const live = entries.filter(
        (entry) => entry.request.model === request.model && request.now - entry.usedAt < ttlMs,
      );
      const equal = live.map((entry) => ({ entry, length: commonPrefix(entry.request.blocks, request.blocks) }));
      const best = equal.reduce((max, { length }) => Math.max(max, length), 0);
      for (const { entry, length } of equal) if (length === best) entry.usedAt = request.now;
      whenBegun(() => entries.push({ request, usedAt: request.now }));
      const total = request.blocks.reduce((sum, block) => sum + block.tokens.length, 0);
      const { minimum = usualMinimum } = request;
      const read = best < minimum ? 0 : best - (best % step);
      return { read, write: 0, write1h: 0, uncached: total - read };
    },
    evict(what) {
      const fixed = ({ request }: (typeof entries)[number]) =>
        request.blocks.filter(({ section }) => section !== 'messages');
      entries =
        what === 'all'
          ? []
          : entries.map((entry) => ({ ...entry, request: { ...entry.request, blocks: fixed(entry) } }));
    },
  };
}

function commonPrefix(a: readonly Counted[], b: readonly Counted[]): number {
  let length = 0;
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const [one, other] = [a[i], b[i]];
    if (one === undefined || other === undefined) break;
    if (one.id !== other.id) return length + commonTokens(one.tokens, other.tokens);
    length += one.tokens.length;
  }
  return length;
}

function commonTokens(a: Uint32Array, b: Uint32Array): number {
  const different = a.findIndex((token, i) => token !== b[i]);
  return different === -1 ? a.length : different;
}
