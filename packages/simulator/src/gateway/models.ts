/** The models that a gateway serves. `*` stands for any other name. */
import type { PriceList } from '../weigh/bill.ts';
import type { Wire } from '../wire.ts';

export interface ModelFacts {
  /** Tokens of a prompt at most. */
  readonly window: number;
  readonly maxOutput: number;
  /** What it charges; absent: the bench model's prices of its wire. */
  readonly prices?: PriceList;
  /** Tokens below which nothing is cached; absent: 1,024. */
  readonly minPrefix?: number;
  /** It says nothing of its cache, and charges as if it had none. */
  readonly hidesCache?: boolean;
}

export type Models = Readonly<Record<string, ModelFacts>>;

export const simModels: Models = { sim: { window: 200_000, maxOutput: 64_000 } };

export function modelLookup(models: Models): (name: string) => ModelFacts | undefined {
  return (name) => (Object.hasOwn(models, name) ? models[name] : models['*']);
}

/** Reads a tenth, writes 1.25 on anthropic and 1.0 elsewhere; a dollar for a million tokens of input. */
export function pricesOf(facts: ModelFacts | undefined, wire: Wire): PriceList {
  const usual = { input: 1_000_000, output: 5_000_000, cacheRead: 100_000 };
  return facts?.prices ?? { ...usual, cacheWrite: wire === 'anthropic' ? 1_250_000 : 1_000_000 };
}
