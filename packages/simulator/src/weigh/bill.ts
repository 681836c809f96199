/**
 * The gateway's own bill: what each request is charged, in integer pico-dollars, from its own counts and its own price
 * list. It is the oracle for the ledger and shares nothing with it.
 */

/** Pico-dollars a token: dollars per million tokens times 1,000,000. */
export interface PriceList {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cacheWrite1h?: number;
  /** From beyond so many tokens of prompt on. */
  readonly above?: { readonly tokens: number; readonly prices: Omit<PriceList, 'above'> };
}

export interface Charged {
  readonly read: number;
  readonly write: number;
  readonly write1h: number;
  readonly uncached: number;
  readonly output: number;
}

export function billOf(charged: Charged, list: PriceList): number {
  const { read, write, write1h, uncached, output } = charged;
  const prompt = read + write + uncached;
  const prices = list.above !== undefined && prompt > list.above.tokens ? list.above.prices : list;
  const hour = prices.cacheWrite1h ?? prices.cacheWrite;
  const input =
    read * prices.cacheRead + (write - write1h) * prices.cacheWrite + write1h * hour + uncached * prices.input;
  return input + output * prices.output;
}
