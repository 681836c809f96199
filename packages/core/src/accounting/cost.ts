/**
 * What a request cost, in integer pico-dollars. Invariants: every token of the prompt is billed once, under the one
 * meaning of `Usage`; the parts add up to the whole; without a price or a report there is no cost, never 0 (I11).
 */
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
  return parts === null ? null : parts.uncached + parts.cacheRead + parts.cacheWrite + parts.output;
}

/** The same by kind of token; null: unpriced. */
export function costParts(usage: Usage, base: Price | undefined): CostParts | null {
  const price = base === undefined ? null : tierOf(base, usage);
  if (price === null || !usage.reported) return null;
  const { cacheWrite1h = price.cacheWrite } = price;
  const long = Math.min(usage.cacheWrite1h ?? 0, usage.cacheWrite);
  return {
    uncached: usage.uncached * price.input,
    cacheRead: usage.cacheRead * price.cacheRead,
    cacheWrite: (usage.cacheWrite - long) * price.cacheWrite + long * cacheWrite1h,
    output: usage.output * price.output,
  };
}

/** Long prompts have their own price with some providers, and it holds for the whole request. */
function tierOf(price: Price, usage: Usage): Price | null {
  const prompt = usage.uncached + usage.cacheRead + usage.cacheWrite;
  return price.above !== undefined && prompt > price.above.tokens ? price.above.price : price;
}
