/** The form in which the catalogue keeps prices. */

/** Prices of one provider as they were read on one day. */
export interface PriceList {
  readonly provider: string;
  readonly asOf: string;
  readonly source: string;
  readonly rows: readonly PriceRow[];
}

export interface PriceRow {
  readonly id: string;
  readonly window: number;
  readonly maxOutput: number;
  /** USD per million tokens. */
  readonly usd: Usd;
  /** What holds for every token of a request whose prompt exceeds so many. */
  readonly above?: readonly [tokens: number, ...Usd];
  readonly from?: string;
}

/** USD per million tokens. */
export type Usd = readonly [input: number, output: number, cacheRead: number, cacheWrite: number];
