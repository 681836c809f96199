/** What is known beside the log of a session when its misses are explained. */

/** What is known of a model by its reference. */
export interface CacheKnowledge {
  /** Milliseconds that an entry lives without use. */
  readonly cacheMs: number;
  readonly minPrefix: number | null;
  /** True: it is known to report its cache; false: known not to; undefined: its reports tell. */
  readonly reportsCache: boolean | undefined;
}

/** A first request of another session, whose fixed part may be the same. */
export interface FirstElsewhere {
  readonly model: string;
  readonly at: number;
  readonly endedAt: number | undefined;
  readonly fixed: string;
}
