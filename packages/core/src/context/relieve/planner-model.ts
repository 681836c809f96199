/** What the planner needs to know of a model, from its catalogue row, its price and its wire. */
import type { Price } from '../../accounting/price.ts';
import type { CatalogRow } from '../../model/catalog.ts';
import { ceilingOf } from './ceiling.ts';
import type { CacheKind, PlannerModel } from './view.ts';

export interface ModelFacts {
  readonly wire: 'anthropic' | 'responses' | 'chat';
  readonly contextWindow: number | null;
  readonly maxOutput: number;
  readonly price: Price | null;
  readonly row: Pick<CatalogRow, 'minPrefix' | 'bindsReasoning' | 'cacheMs'> | null;
}

export interface RelievedModel extends PlannerModel {
  /** How long the provider keeps an entry without use. */
  readonly cacheMs: number;
}

/** The usual minimum; a model with a smaller one only caches more (2026-11). */
const usualMinPrefix = 1_024;
/** What every provider keeps at least (Anthropic's default and OpenAI's floor, 2026-11). */
const usualCacheMs = 300_000;
/** In steps of 128 tokens (OpenAI's guide to prompt caching, 2026-11). */
const prefixStep = 128;

export function plannerModel({ wire, contextWindow, maxOutput, price, row }: ModelFacts): RelievedModel {
  const cache: CacheKind = wire === 'anthropic' ? { kind: 'marks' } : { kind: 'prefix', step: prefixStep };
  return {
    ...sharesOf(price, wire),
    cache,
    minPrefix: row?.minPrefix ?? usualMinPrefix,
    // Over Chat Completions no reasoning goes back that an edit could make void.
    bindsReasoning: wire !== 'chat' && (row?.bindsReasoning ?? false),
    cacheMs: row?.cacheMs ?? usualCacheMs,
    ceiling: ceilingOf({ contextWindow, maxOutput, tierEdge: price?.above?.tokens }),
  };
}

/** Without a price the usual shares decide: they are never shown as money (I11). */
function sharesOf(price: Price | null, wire: ModelFacts['wire']) {
  if (price === null || price.input === 0) return { read: 0.1, write: wire === 'anthropic' ? 1.25 : 1, output: 5 };
  const share = (part: number) => part / price.input;
  return { read: share(price.cacheRead), write: share(price.cacheWrite), output: share(price.output) };
}
