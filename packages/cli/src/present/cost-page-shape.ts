/** What the page of `zerd cost --html` draws: plain data, every text safe to draw. Both sides of the page know it. */

export interface CostPage {
  readonly version: string;
  readonly sessionId: string;
  readonly writtenAt: number;
  /** Label and value, for the head of the page. */
  readonly figures: readonly (readonly [label: string, value: string])[];
  /** Lines on what the figures do not hold. */
  readonly notes: readonly string[];
  readonly advice: readonly string[];
  readonly requests: readonly PageRequest[];
  readonly marks: readonly PageMark[];
  readonly results: readonly PageCarried[];
  /** The dearest of what is no result. */
  readonly others: readonly PageCarried[];
}

export interface PageRequest {
  readonly id: string;
  readonly at: number;
  readonly model: string;
  /** What it was for, in words; empty: a step of a turn. */
  readonly purpose: string;
  /** Tokens: tools, system, messages, results. Null: a prompt of its own. */
  readonly carries: readonly number[] | null;
  /** Tokens: read, written, uncached. Null: nothing was reported. */
  readonly cache: readonly number[] | null;
  readonly output: number | null;
  /** Pico-dollars: read, written, uncached, output, as billed. Null: unpriced. */
  readonly money: readonly number[] | null;
}

export type MarkKind = 'miss' | 'planned' | 'trim' | 'summary' | 'model';

export interface PageMark {
  readonly kind: MarkKind;
  /** Index of the request at which it shows. */
  readonly request: number;
  /** Null: it has none of its own. */
  readonly tokens: number | null;
  /** In words; empty: it has none of its own. */
  readonly money: string;
  readonly by: string;
  readonly says: string;
}

export interface PageCarried {
  readonly kind: string;
  readonly label: string;
  readonly tokens: number;
  readonly requests: number;
  readonly money: string;
}
