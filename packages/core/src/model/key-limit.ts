/**
 * Decides how all who use a key share what its provider said about the rate or its capacity: whoever is refused closes
 * the key, and nobody sends before it opens. Invariants: what the provider asks to wait is kept by all; without a word of
 * it each closing in a row lasts twice as long; nobody waits longer than ten minutes, and those who wait set off apart.
 */
import type { ProviderFailure } from './answer.ts';
import { longestWaitMs } from './retry.ts';

export interface KeyLimit {
  /** Milliseconds of one clock that only grows. */
  readonly closedAt: number;
  readonly opensAt: number;
  /** Closings in a row, with no answer since the first. */
  readonly closings: number;
  readonly why: ProviderFailure['code'];
}

export type Passage =
  | { readonly kind: 'go' }
  | { readonly kind: 'wait'; readonly afterMs: number }
  /** `reason` is for people. */
  | { readonly kind: 'stop'; readonly reason: string };

const crowded: ReadonlySet<ProviderFailure['code']> = new Set(['provider_rate_limited', 'provider_overloaded']);
const firstClosingMs = 4_000;

/**
 * Undefined: the key is open. `startedAt` is when the attempt that failed began: all that had begun before a closing tell
 * of the same crowd.
 */
export function afterFailure(
  limit: KeyLimit | undefined,
  failure: ProviderFailure,
  { startedAt, now }: { readonly startedAt: number; readonly now: number },
): KeyLimit | undefined {
  if (!crowded.has(failure.code)) return limit;
  const isNews = limit === undefined || startedAt >= limit.closedAt;
  const closings = (limit?.closings ?? 0) + (isNews ? 1 : 0);
  const closedForMs = failure.retryAfterMs ?? Math.min(firstClosingMs * 2 ** (closings - 1), longestWaitMs);
  return {
    closings,
    closedAt: isNews ? now : limit.closedAt,
    opensAt: Math.max(limit?.opensAt ?? 0, now + closedForMs),
    why: failure.code,
  };
}

/** An answer to what began before the closing says nothing about it. */
export function afterAnswer(limit: KeyLimit | undefined, startedAt: number): KeyLimit | undefined {
  return limit !== undefined && startedAt < limit.closedAt ? limit : undefined;
}

export interface Sender {
  readonly now: number;
  /** Since when it has waited. */
  readonly since: number;
  /** A person has just asked for this: it may find out anew whether a long closing still holds. */
  readonly asked: boolean;
  /** In [0, 1). */
  readonly random01: number;
}

export function passage(limit: KeyLimit | undefined, { now, since, asked, random01 }: Sender): Passage {
  const remaining = limit === undefined ? 0 : limit.opensAt - now;
  if (limit === undefined || remaining <= 0) return { kind: 'go' };
  if (limit.opensAt - since <= longestWaitMs) return { kind: 'wait', afterMs: waitMs(remaining, random01) };
  return asked ? { kind: 'go' } : { kind: 'stop', reason: waitsTooLong(remaining) };
}

/** Later than the key opens, so that those who wait together do not come together. */
export function waitMs(remaining: number, random01: number): number {
  const spread = Math.min(10_000, Math.max(1_000, remaining / 4));
  return remaining <= 0 ? 0 : Math.round(remaining + random01 * spread);
}

function waitsTooLong(remaining: number): string {
  const minutes = Math.ceil(remaining / 60_000);
  return `Another session with this key was refused, and the key stays closed for ${minutes} min more; zerd waits ${longestWaitMs / 60_000} min at most. Nothing was sent.`;
}
