/**
 * What is known of models without asking: prices, windows, the smallest prefix that is cached. Every row is dated and
 * names its source; a model that is not here is null, and nothing about it is guessed (I11).
 */
import { type Price, priceFromUsd, type UsdPerMillion } from '../accounting/price.ts';

export interface CatalogRow {
  /** The provider's own name of the model. */
  readonly id: string;
  readonly provider: 'anthropic' | 'openai';
  readonly contextWindow: number;
  /** What the model can give in one answer. */
  readonly maxOutput: number;
  /** Tokens below which nothing is cached; null: not known. */
  readonly minPrefix: number | null;
  /** An edit of earlier messages makes the reasoning behind it void or the request invalid. */
  readonly bindsReasoning: boolean;
  /** Milliseconds that an entry of the cache lives without use, at least. */
  readonly cacheMs: number;
  readonly price: Price;
}

const asOf = '2026-11-20';
/** Read in the package's data, and cross-checked on eight prices with the vendors' pages. */
const source = 'npm @earendil-works/pi-ai 1.6.0, catalogue of 2026-11-20';
const million = 1_000_000;

const minute = 60_000;

/** Anthropic's page on preserved thinking; for GPT-6.2 OpenAI's guide "Keep the prefix unchanged" (both 2026-11-29). */
const binding: ReadonlySet<string> = new Set([
  'claude-opus-5-5',
  'claude-sonnet-5-5',
  'claude-haiku-5-5',
  'gpt-6.2-sol',
]);

/** From GPT-5.6 on 30 minutes is the least; before, five to ten (OpenAI's guide to prompt caching, 2026-11-29). */
const longLived: ReadonlySet<string> = new Set(['gpt-6.2-sol']);

const rows: readonly CatalogRow[] = [
  anthropic('claude-opus-5-5', million, 128_000, null, {
    input: 4,
    output: 20,
    cacheRead: 0.2,
    cacheWrite: 5,
    cacheWrite1h: 8,
  }),
  anthropic('claude-sonnet-5-5', million, 128_000, null, {
    input: 2,
    output: 10,
    cacheRead: 0.1,
    cacheWrite: 2.5,
    cacheWrite1h: 4,
  }),
  anthropic(
    'claude-haiku-5-5',
    million,
    128_000,
    null,
    { input: 0.1, output: 0.5, cacheRead: 0.01, cacheWrite: 0.125, cacheWrite1h: 0.2 },
    { tokens: 100_000, usd: { input: 0.5, output: 2.5, cacheRead: 0.05, cacheWrite: 0.625, cacheWrite1h: 1 } },
  ),
  anthropic('claude-sonnet-4-6', million, 128_000, 1024, {
    input: 3,
    output: 15,
    cacheRead: 0.3,
    cacheWrite: 3.75,
    cacheWrite1h: 6,
  }),
  anthropic('claude-haiku-4-5', 200_000, 64_000, 4096, {
    input: 1,
    output: 5,
    cacheRead: 0.1,
    cacheWrite: 1.25,
    cacheWrite1h: 2,
  }),
  openai('gpt-5.5', { input: 5, output: 30, cacheRead: 0.5, cacheWrite: 5 }),
  openai('gpt-5.4', { input: 2.5, output: 15, cacheRead: 0.25, cacheWrite: 2.5 }),
  openai('gpt-6.2-sol', { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5 }),
];

/** Null: not in the catalogue. */
export function findModel(provider: string, id: string): CatalogRow | null {
  return rows.find((row) => row.provider === provider && row.id === id) ?? null;
}

export function catalogRows(): readonly CatalogRow[] {
  return rows;
}

type OpenAiPrice = Readonly<Record<'input' | 'output' | 'cacheRead' | 'cacheWrite', number>>;

interface Tier {
  readonly tokens: number;
  readonly usd: UsdPerMillion;
}

function anthropic(
  id: string,
  contextWindow: number,
  maxOutput: number,
  minPrefix: number | null,
  usd: UsdPerMillion,
  tier?: Tier,
): CatalogRow {
  const bindsReasoning = binding.has(id);
  const price = priced(usd, tier);
  return { id, provider: 'anthropic', contextWindow, maxOutput, minPrefix, bindsReasoning, cacheMs: 5 * minute, price };
}

/**
 * Beyond 272,000 tokens input and cache cost double and output half as much again (GPT-5.4 to 6.2); cached from 1,024.
 * Windows and output: OpenAI's model pages as quoted by resellers, 2026-11-29; 6.2-sol's output is taken as its family's.
 */
function openai(id: string, usd: OpenAiPrice): CatalogRow {
  const long = {
    input: 2 * usd.input,
    output: 1.5 * usd.output,
    cacheRead: 2 * usd.cacheRead,
    cacheWrite: 2 * usd.cacheWrite,
  };
  return {
    id,
    provider: 'openai',
    contextWindow: 1_050_000,
    maxOutput: 128_000,
    minPrefix: 1024,
    bindsReasoning: binding.has(id),
    cacheMs: (longLived.has(id) ? 30 : 5) * minute,
    price: priced(usd, { tokens: 272_000, usd: long }),
  };
}

function priced(usd: UsdPerMillion, tier: Tier | undefined): Price {
  const price = priceFromUsd(usd, source, asOf);
  if (tier === undefined) return price;
  return { ...price, above: { tokens: tier.tokens, price: priceFromUsd(tier.usd, source, asOf) } };
}
