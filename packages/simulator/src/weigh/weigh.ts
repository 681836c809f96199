/** Weighs requests: counts each, charges the answered ones to their wire's cache, and adds up what was paid. */
import type { Json, Wire } from '../wire.ts';
import { type CacheShare, createAnthropicCache, type WhenBegun } from './anthropic-cache.ts';
import { anthropicBlocks, type Block, chatBlocks, responsesBlocks } from './blocks.ts';
import { createPrefixCache } from './prefix-cache.ts';
import type { Counted, Tokenizer } from './tokens.ts';

export interface TokenCounts {
  readonly total: number;
  readonly system: number;
  readonly tools: number;
}

export interface WeighedRequest {
  readonly wire: Wire;
  readonly model: string;
  readonly body: Json;
  readonly blocks: readonly (Block & Counted)[];
  readonly tokens: TokenCounts;
}

export interface Weigher {
  weigh(wire: Wire, body: Json): WeighedRequest;
  /** Reads the cache, and writes it when the answer begins; absent: at once. `partition`: a cache that shares nothing with others. */
  charge(request: WeighedRequest, now: number, partition?: string, whenBegun?: WhenBegun): CacheShare;
  countText(text: string): number;
  evict(what?: 'all' | 'messages'): void;
}

const blocksOf: Readonly<Record<Wire, (body: Json) => readonly Block[]>> = {
  anthropic: anthropicBlocks,
  responses: responsesBlocks,
  chat: chatBlocks,
};

/** `minPrefix`: below so many tokens a model caches nothing; undefined: the usual. */
export function createWeigher(
  tokenizer: Tokenizer,
  ttlMs?: number,
  minPrefix: (model: string) => number | undefined = () => undefined,
): Weigher {
  const marked = createAnthropicCache(ttlMs);
  const automatic = createPrefixCache(ttlMs);
  return {
    weigh(wire, body) {
      const blocks = blocksOf[wire](body).map((block) => ({ ...block, ...tokenizer.count(block.text) }));
      return { wire, model: String(body.model), body, blocks, tokens: countsOf(blocks) };
    },
    charge({ wire, model: name, body, blocks }, now, partition = '', whenBegun = undefined) {
      const model = `${name} ${partition}`;
      const least = minPrefix(name);
      const minimum = least === undefined ? {} : { minimum: least };
      if (wire !== 'anthropic')
        return automatic.charge({ model: `${wire} ${model}`, blocks, now, ...minimum }, whenBegun);
      const messagesKey = JSON.stringify([body.tool_choice ?? null, body.thinking ?? null]);
      const sized = blocks.map((block) => ({ ...block, tokens: block.tokens.length }));
      return marked.charge({ model, messagesKey, now, ...minimum, blocks: sized }, whenBegun);
    },
    countText: (text) => tokenizer.count(text).tokens.length,
    evict(what = 'all') {
      marked.evict(what);
      automatic.evict(what);
    },
  };
}

function countsOf(blocks: readonly (Block & Counted)[]): TokenCounts {
  const of = (sections: readonly string[]) =>
    blocks.filter((block) => sections.includes(block.section)).reduce((sum, block) => sum + block.tokens.length, 0);
  return { total: of(['tools', 'system', 'messages']), system: of(['system']), tools: of(['tools']) };
}
