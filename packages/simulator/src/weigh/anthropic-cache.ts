/**
 * Anthropic's prompt cache: entries exist only where an earlier request had a mark; each mark finds an entry at its own
 * block or at one of the 20 before it; below 1,024 tokens nothing is kept; what a request writes can be read once its
 * answer has begun. tools -> system -> messages is one chain,
 * and `messagesKey` (tool_choice, thinking) is part of it from the first message on. (Anthropic's guide to prompt
 * caching as of 2026-07-01; minimum of the Sonnet 5 class as of 2026-10-07.)
 */
import type { Block } from './blocks.ts';

export interface MarkedBlock {
  readonly section: Block['section'];
  readonly mark?: '5m' | '1h';
  /** Equal contents have equal ids. */
  readonly id: number;
  readonly tokens: number;
}

export interface CacheShare {
  readonly read: number;
  readonly write: number;
  /** The part of `write` that lives an hour. */
  readonly write1h: number;
  readonly uncached: number;
}

/** Is handed what writes the entries of a request, and calls it when its answer begins. */
export type WhenBegun = (write: () => void) => void;

export const atOnce: WhenBegun = (write) => write();

export interface CacheRequest {
  readonly model: string;
  readonly messagesKey: string;
  readonly blocks: readonly MarkedBlock[];
  readonly now: number;
  /** Tokens below which nothing is kept; absent: 1,024. */
  readonly minimum?: number;
}

const usualMinimum = 1024;
const lookBack = 20;
const hour = 3_600_000;

/** `ttlMs` is the lifetime of a plain mark on the virtual clock, refreshed by use; absent: nothing expires. */
export function createAnthropicCache(ttlMs?: number): {
  charge(request: CacheRequest, whenBegun?: WhenBegun): CacheShare;
  /** Entries go: all, or those behind the system text. */
  evict(what: 'all' | 'messages'): void;
} {
  const chain = createChain();
  const entries = new Map<number, { readonly lifetime: number; readonly expiresAt: number; readonly fixed: boolean }>();
  const lifetimeOf = (mark: '5m' | '1h') =>
    ttlMs === undefined ? Number.POSITIVE_INFINITY : mark === '1h' ? hour : ttlMs;
  return {
    charge(request, whenBegun = atOnce) {
      const spots = spotsOf(request, chain);
      const { minimum = usualMinimum } = request;
      const marks = spots.flatMap((spot, at) =>
        spot.mark !== undefined && spot.upTo >= minimum ? [{ ...spot, mark: spot.mark, at }] : [],
      );
      const live = (key: number) => (entries.get(key)?.expiresAt ?? Number.NEGATIVE_INFINITY) > request.now;
      const keep = ({ key, fixed }: Spot, lifetime: number) =>
        entries.set(key, { lifetime, expiresAt: request.now + lifetime, fixed });
      const hits = marks.flatMap((mark) => found(spots, mark.at, live) ?? []);
      for (const hit of hits) keep(hit, entries.get(hit.key)?.lifetime ?? 0);
      whenBegun(() => {
        for (const spot of marks) keep(spot, lifetimeOf(spot.mark));
      });
      return shareOf(spots.at(-1)?.upTo ?? 0, Math.max(0, ...hits.map((hit) => hit.upTo)), marks);
    },
    evict(what) {
      for (const [key, { fixed }] of entries) if (what === 'all' || !fixed) entries.delete(key);
    },
  };
}

interface Spot {
  readonly key: number;
  /** Tokens from the beginning up to the end of this block. */
  readonly upTo: number;
  readonly mark: '5m' | '1h' | undefined;
  /** It ends in tools or system. */
  readonly fixed: boolean;
}

function spotsOf(request: CacheRequest, chain: Chain): readonly Spot[] {
  const spots: Spot[] = [];
  let key = chain.next(0, `model ${request.model}`);
  let upTo = 0;
  let inMessages = false;
  for (const block of request.blocks) {
    if (block.section === 'messages' && !inMessages) key = chain.next(key, `messages ${request.messagesKey}`);
    inMessages ||= block.section === 'messages';
    key = chain.next(key, `${block.section} ${block.id}`);
    upTo += block.tokens;
    spots.push({ key, upTo, mark: block.mark, fixed: block.section !== 'messages' });
  }
  return spots;
}

/** The longest live prefix that ends at this block or at one of the 20 before it. */
function found(spots: readonly Spot[], at: number, live: (key: number) => boolean): Spot | undefined {
  return spots.slice(Math.max(0, at - lookBack), at + 1).findLast((spot) => live(spot.key));
}

function shareOf(
  total: number,
  read: number,
  marks: readonly { readonly mark: string; readonly upTo: number }[],
): CacheShare {
  const upTo = (some: typeof marks) => Math.max(read, some.at(-1)?.upTo ?? 0);
  const write = upTo(marks) - read;
  const write1h = upTo(marks.filter(({ mark }) => mark === '1h')) - read;
  return { read, write, write1h, uncached: total - read - write };
}

interface Chain {
  /** The number of a prefix: equal prefixes have equal numbers. */
  next(prefix: number, link: string): number;
}

function createChain(): Chain {
  const numbers = new Map<string, number>();
  return {
    next(prefix, link) {
      const name = `${prefix}:${link}`;
      const number = numbers.get(name) ?? numbers.size + 1;
      numbers.set(name, number);
      return number;
    },
  };
}
