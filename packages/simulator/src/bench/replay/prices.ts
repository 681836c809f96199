/** The prices at which sessions are replayed, as shares of the price of an uncached input token. */
export interface ReplayPrice {
  readonly name: string;
  readonly read: number;
  readonly write: number;
  readonly cache: 'marks' | 'prefix' | 'none';
  /** Trims only where a turn begins or at the ceiling. */
  readonly bound: boolean;
}

export const outputPrice = 5;
/** How long an entry lives without use, in seconds. */
export const lifetime = 300;
export const prefixStep = 128;

export const replayPrices: readonly ReplayPrice[] = [
  { name: 'r.10w1.25', read: 0.1, write: 1.25, cache: 'marks', bound: false },
  { name: 'r.05w1.25', read: 0.05, write: 1.25, cache: 'marks', bound: false },
  { name: 'r.025w1.25', read: 0.025, write: 1.25, cache: 'marks', bound: false },
  { name: 'r.20w1', read: 0.2, write: 1, cache: 'prefix', bound: false },
  { name: 'none', read: 1, write: 1, cache: 'none', bound: false },
  { name: 'bound', read: 0.05, write: 1.25, cache: 'marks', bound: true },
];
