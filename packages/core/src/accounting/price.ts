/**
 * A price row: integer pico-dollars per token (USD per million tokens times 1,000,000), with its date and its source.
 * Invariant (I11): a price is a dated row or there is none; nothing is guessed.
 */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Cache writes with the one-hour lifetime; absent: they cost what other cache writes cost. */
  readonly cacheWrite1h?: number;
  /** What holds for every token of a request whose whole prompt exceeds `tokens`; a null price there: unpriced. */
  readonly above?: { readonly tokens: number; readonly price: Price | null };
  /** The user's own figures: they hold however a request is served. A list's hold for what is served in the usual way. */
  readonly own?: true;
  /** Where the figures come from: an address, or the user's configuration. */
  readonly source: string;
  /** The day on which they held, YYYY-MM-DD. */
  readonly asOf: string;
}

/** USD per million tokens, as price lists and the configuration give them. */
export interface UsdPerMillion {
  readonly input: number;
  readonly output: number;
  /** Absent where an endpoint bills cached tokens like any other input. */
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
  readonly cacheWrite1h?: number | undefined;
}

/** Exact for figures of up to six decimals; they must be finite and not negative. */
export function priceFromUsd(usd: UsdPerMillion, source: string, asOf: string): Price {
  const { input, output, cacheRead = input, cacheWrite = input, cacheWrite1h } = usd;
  return {
    input: picoPerToken(input),
    output: picoPerToken(output),
    cacheRead: picoPerToken(cacheRead),
    cacheWrite: picoPerToken(cacheWrite),
    ...(cacheWrite1h === undefined ? {} : { cacheWrite1h: picoPerToken(cacheWrite1h) }),
    source,
    asOf,
  };
}

function picoPerToken(usdPerMillion: number): number {
  return Math.round(usdPerMillion * 1_000_000);
}
