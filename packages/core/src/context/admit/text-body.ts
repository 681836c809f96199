/** A text on its way to being shown: whole, or its two ends with what they leave out. */
export interface TextBody {
  readonly head: string;
  /** The end of a body too large to look at whole; empty: `head` is everything. */
  readonly tail: string;
  readonly totalBytes: number;
  readonly totalLines: number;
}
