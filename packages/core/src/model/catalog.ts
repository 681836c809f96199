/**
 * What is known of models without asking: prices, windows, the smallest prefix that is cached. Every row is dated and
 * names its source; a model that is not here is null, and nothing about it is guessed (I11).
 */
import { type Price, priceFromUsd, type UsdPerMillion } from '../accounting/price.ts';
import { type CacheFacts, cacheFactsOf } from './cache-facts.ts';
import { priceLists } from './catalog-prices.ts';
import type { PriceList, PriceRow, Usd } from './price-list.ts';

export interface CatalogRow extends CacheFacts {
  /** The provider's own name of the model. */
  readonly id: string;
  readonly provider: string;
  readonly contextWindow: number;
  /** What the model can give in one answer. */
  readonly maxOutput: number;
  readonly price: Price;
  /** The day from which on the price held, YYYY-MM-DD; absent: since the model was there. */
  readonly effectiveFrom?: string;
}

/** A model's row as of `day` (YYYY-MM-DD; absent: the newest). Null: not in the catalogue, or not yet on that day. */
export function findModel(provider: string, id: string, day?: string): CatalogRow | null {
  const held = rows.filter((row) => row.provider === provider && row.id === id && began(row) <= (day ?? '9'));
  return held.reduce<CatalogRow | null>((newest, row) => (began(row) >= began(newest) ? row : newest), null);
}

/** Each model once, as it is now. */
export function catalogRows(): readonly CatalogRow[] {
  return rows.filter((row) => findModel(row.provider, row.id) === row);
}

function began(row: CatalogRow | null): string {
  return row?.effectiveFrom ?? '';
}

const rows: readonly CatalogRow[] = priceLists.flatMap((list) => list.rows.map((row) => catalogRow(list, row)));

function catalogRow({ provider, asOf, source }: PriceList, row: PriceRow): CatalogRow {
  const { id, window, maxOutput, usd, above, from } = row;
  const price = (figures: Usd) => priceFromUsd(usdOf(provider, figures), source, asOf);
  const [edge, ...long] = above ?? [];
  return {
    id,
    provider,
    contextWindow: windowOf(provider, window, edge),
    maxOutput,
    ...cacheFactsOf(provider, id),
    price: edge === undefined ? price(usd) : { ...price(usd), above: { tokens: edge, price: price(long as Usd) } },
    ...(from === undefined ? {} : { effectiveFrom: from }),
  };
}

/** Anthropic's one-hour writes cost twice the input, whatever the model (its price pages, 2026-11-29). */
function usdOf(provider: string, [input, output, cacheRead, cacheWrite]: Usd): UsdPerMillion {
  const hour = provider === 'anthropic' ? { cacheWrite1h: 2 * input } : {};
  return { input, output, cacheRead, cacheWrite, ...hour };
}

/** The list gives the edge of the cheap tier as OpenAI's window; these models take more (OpenAI's pages, 2026-11-29). */
function windowOf(provider: string, window: number, edge: number | undefined): number {
  return provider === 'openai' && window === edge ? 1_050_000 : window;
}
