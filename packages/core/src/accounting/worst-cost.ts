/**
 * What a request may come to before it is sent: every token of its prompt at the dearest rate of input, and the longest
 * answer. The prompt is estimated from its bytes, and from what the last request of the same model measured.
 */
import type { Segment } from '@zerd/protocol/common/event';
import type { Worst } from './budget.ts';
import { tierOf } from './cost.ts';
import type { Price } from './price.ts';

/** An answered request: what it was made of and the tokens of its prompt. */
export interface Measured {
  readonly segments: readonly Segment[];
  readonly tokens: number;
}

/** A request that is about to be sent. */
export interface Sending {
  readonly bytes: number;
  readonly segments: readonly Segment[];
  /** Tokens of images, by their model's rule: of all that it sends, and of those that `measured` did not hold. Absent: none. */
  readonly images?: { readonly all: number; readonly fresh: number };
}

/** Text, JSON and code have more bytes to a token with the tokenisers of 2026. */
const leastBytesPerToken = 2;
/** What providers add to a prompt that declares tools (Anthropic's pricing page names up to about 700, 2026-11). */
const addedTokens = 1_000;

export function worstCost(
  sending: Sending,
  measured: Measured | undefined,
  { maxOutput, price }: { readonly maxOutput: number; readonly price: Price | null },
): Worst {
  const prompt = worstPrompt(sending, measured);
  const rates = price === null ? null : tierOf(price, prompt);
  const dearest = rates === null ? null : Math.max(rates.input, rates.cacheWrite);
  return {
    input: { tokens: prompt, pico: dearest === null ? null : prompt * dearest },
    output: { tokens: maxOutput, pico: rates === null ? null : maxOutput * rates.output },
  };
}

/** What was measured is at most what it was, whatever has gone of it; what is new, or has changed, is at its densest. */
export function worstPrompt(
  { bytes, segments, images = { all: 0, fresh: 0 } }: Sending,
  measured: Measured | undefined,
): number {
  const dense = Math.ceil(bytes / leastBytesPerToken) + addedTokens + images.all;
  if (measured === undefined) return dense;
  const known = new Set(measured.segments.map(({ hash }) => hash));
  const fresh = segments.reduce((sum, segment) => sum + (known.has(segment.hash) ? 0 : segment.bytes), 0);
  return Math.min(dense, measured.tokens + Math.ceil(fresh / leastBytesPerToken) + images.fresh);
}
