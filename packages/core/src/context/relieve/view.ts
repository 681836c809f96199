/**
 * What the planner sees of a session: sizes in tokens and nothing else. Requests are the session's own answered ones,
 * oldest first; retries, side requests and whatever failed are not among them.
 */

/** A call and its result, as they are rendered now. A part that cannot shrink has a stub of its own size. */
export interface CallLoad {
  readonly callId: string;
  /** The request from which on it grows old: its own, or the newest whose pointer or diff leans on it (I5). */
  readonly since: number;
  readonly input: number;
  readonly inputStub: number;
  readonly result: number;
  /** What a trim leaves of the result, its share of the appended list included. */
  readonly resultStub: number;
  /** How many requests must be answered before the result may be cut, whatever its age; 0: it is not protected. */
  readonly protectedUntil: number;
  /** The chance that a result that was cut is asked for again. */
  readonly returns: number;
}

export interface RequestLoad {
  /** What entered in front of it, behind the results before: messages of the user, notices. */
  readonly before: number;
  /** The part of `before` that lists what a trim cleared: the next trim takes it away. */
  readonly list: number;
  /** Text and reasoning of its answer. */
  readonly answer: number;
  readonly reasoning: number;
  readonly calls: readonly CallLoad[];
  /** Its whole prompt as it was sent. */
  readonly prompt: number;
  /** The cache is believed to hold an entry that ends where this prompt ended, and nothing before has changed since. */
  readonly entry: boolean;
}

export type CacheKind =
  /** Entries only where a request carried a mark. */
  | { readonly kind: 'marks' }
  /** The longest equal beginning, in steps. */
  | { readonly kind: 'prefix'; readonly step: number }
  | { readonly kind: 'none' };

/** What of a model and its provider decides. Prices are shares of the price of an uncached input token. */
export interface PlannerModel {
  /** A token read from the cache. */
  readonly read: number;
  /** A token written to it; 1 where writing is free. */
  readonly write: number;
  /** A token of an answer. */
  readonly output: number;
  readonly cache: CacheKind;
  /** Tokens below which nothing is cached. */
  readonly minPrefix: number;
  /** An edit of history makes the reasoning behind it void. */
  readonly bindsReasoning: boolean;
  /** The largest prompt that is wanted: see `ceilingOf`. */
  readonly ceiling: number;
}

export interface PlannerView {
  /** System and tools. */
  readonly fixed: number;
  /** What the last compaction left in front of all requests; 0: there was none. */
  readonly digest: number;
  /** What the model wrote for it; undefined: there was none, or it is not known. */
  readonly summaryWritten: number | undefined;
  readonly requests: readonly RequestLoad[];
  /** What enters in front of the next request. */
  readonly before: number;
  /** Tokens that the provider is expected to read if nothing changes: see `expectedRead`. */
  readonly read: number;
  /** How many requests were answered when a trim, compaction, model change or rewind last set the rent to 0. */
  readonly resetAt: number;
  /** The same of the last compaction; 0: there was none. */
  readonly compactedAt: number;
  /** The next request is the first of its turn. */
  readonly turnStart: boolean;
  readonly model: PlannerModel;
  /** Requests whose results stay whole: the low-water mark of every trim. */
  readonly window: number;
  /** Whether a trim may leave the first old results as they are; false: it cuts all that is old, always. */
  readonly cutsPart: boolean;
  /** Whether the arguments of calls may be cut too. */
  readonly stubsInputs: boolean;
  /** Whether compacting is possible now. */
  readonly compacts: boolean;
}

/** `context.window` where nothing is set. */
export const defaultWindow = 6;
