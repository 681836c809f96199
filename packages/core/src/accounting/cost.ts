/**
 * What a request cost, in integer pico-dollars. Invariants: every token of the prompt is billed once, under the one
 * meaning of `Usage`; the parts add up to the whole; without a price or a report there is no cost, never 0 (I11).
 */

import type { Rates } from '@zerd/protocol/common/cost-events';
import type { Usage } from '@zerd/protocol/common/usage';
import type { Price } from './price.ts';

export interface CostParts {
  readonly uncached: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
}

/** Null: unpriced. `billedPico`, the provider's own figure, wins over any price. */
export function costOf(usage: Usage, price: Price | undefined, billedPico?: number): number | null {
  if (billedPico !== undefined) return billedPico;
  const parts = costParts(usage, price);
  if (parts === null) return null;
  const total = parts.uncached + parts.cacheRead + parts.cacheWrite + parts.output;
  // No request costs $9,007: what is larger than whole numbers go is no price.
  return Number.isSafeInteger(total) ? total : null;
}

/** The same by kind of token; null: unpriced. */
export function costParts(usage: Usage, base: Price | undefined): CostParts | null {
  const rates = usage.reported ? ratesOf(usage, base) : null;
  return rates === null ? null : partsAt(usage, rates);
}

/** `usage` was reported. */
export function partsAt(usage: Usage, rates: Omit<Rates, 'source' | 'asOf'>): CostParts {
  const { cacheWrite1h = rates.cacheWrite } = rates;
  const long = Math.min(usage.cacheWrite1h ?? 0, usage.cacheWrite);
  return {
    uncached: usage.uncached * rates.input,
    cacheRead: usage.cacheRead * rates.cacheRead,
    cacheWrite: (usage.cacheWrite - long) * rates.cacheWrite + long * cacheWrite1h,
    output: usage.output * rates.output,
  };
}

/** What held for each token of this request; null: unpriced, as what a list does not name is (`usage.tier`). */
export function ratesOf(usage: Usage, base: Price | undefined): Rates | null {
  return base === undefined || (usage.tier !== undefined && base.own === undefined) ? null : usualRates(usage, base);
}

/** The same as if the request had been served in the usual way. */
export function usualRates(usage: Usage, base: Price): Rates | null {
  const price = tierOf(base, usage.uncached + usage.cacheRead + usage.cacheWrite);
  if (price === null) return null;
  const { above: _, own: __, ...rates } = price;
  return rates;
}

/** Long prompts have their own price with some providers, and it holds for the whole request. Null: unpriced there. */
export function tierOf(price: Price, prompt: number): Price | null {
  const { above } = price;
  if (above === undefined || prompt <= above.tokens) return price;
  return above.price === null ? null : tierOf(above.price, prompt);
}
