/**
 * Decides whether a failed attempt is followed by another, and when. Invariants: five attempts at most for one request;
 * what the provider asks to wait is kept, or the turn stops and says so; a refusal is never repeated.
 */
import type { ProviderFailure } from './answer.ts';

export const maxAttempts = 5;
/** A wait that the provider asks for is kept up to here; nobody sits longer in front of a turn that does nothing. */
export const longestWaitMs = 600_000;

export type NextAttempt =
  | { readonly kind: 'retry'; readonly afterMs: number }
  /** `reason` is for people: why nothing more is tried. `exhausted`: only because it was tried so often. */
  | { readonly kind: 'stop'; readonly reason: string; readonly exhausted?: true };

const never: ReadonlySet<ProviderFailure['code']> = new Set([
  'provider_quota',
  'provider_auth',
  'provider_rejected',
  'provider_image_refused',
  'context_overflow',
]);

/** `attempt` counts from 1 and is the one that failed; `random01` is in [0, 1) and spreads sessions that failed together. */
export function nextAttempt(failed: {
  readonly failure: ProviderFailure;
  readonly attempt: number;
  readonly random01: number;
}): NextAttempt {
  const { failure, attempt, random01 } = failed;
  if (!failure.retryable || never.has(failure.code)) return { kind: 'stop', reason: 'Trying again cannot help.' };
  if (attempt >= maxAttempts) return { kind: 'stop', reason: `${maxAttempts} attempts failed.`, exhausted: true };
  const asked = failure.retryAfterMs;
  if (asked !== undefined && asked > longestWaitMs) return { kind: 'stop', reason: waitsTooLong(asked) };
  const backoff = backoffMs(failure, attempt);
  // Jitter only ever adds to what the provider asked for: earlier would be refused again.
  const afterMs = asked === undefined ? backoff * (0.5 + random01 / 2) : asked + random01 * Math.min(asked, 1000);
  return { kind: 'retry', afterMs: Math.round(Math.min(afterMs, longestWaitMs)) };
}

/** Doubles: 1, 2, 4, 8 s, and four times as much when the provider is short of capacity. */
function backoffMs(failure: ProviderFailure, attempt: number): number {
  const crowded = failure.code === 'provider_rate_limited' || failure.code === 'provider_overloaded';
  return (crowded ? 4000 : 1000) * 2 ** (attempt - 1);
}

function waitsTooLong(ms: number): string {
  return `The provider asks to wait ${Math.ceil(ms / 60_000)} min; zerd waits ${longestWaitMs / 60_000} min at most.`;
}
